// Watch: following a run: what is printed while it runs, and when following ends.
import { unnamed } from "../../../src/run/Naming.ts"
import { Effect, Layer, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { EventLog } from "../../../src/log/EventLog.ts"
import { Output } from "../../../src/platform/Process.ts"
import { unlimited } from "../../../src/drive/Budgets.ts"
import { follow, narrateWhile } from "../../../src/read/Watch.ts"
import { Progress } from "../../../src/review/Progress.ts"
import { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { undrawn } from "../../../src/read/view/Tail.live.ts"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  failed,
  finished,
  opened,
  runRef,
  started,
  tree
} from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const run = runRef()
const naming = unnamed

interface Followed {
  readonly json?: boolean
  readonly drawn?: boolean
}

/** Reviewers that have not ended are alive. */
const reviewersAlive = Layer.merge(
  Layer.mock(ReviewFiles)({ fate: () => Effect.succeed("Alive") }),
  Layer.mock(Reviewers)({
    look: (attempts) =>
      Effect.succeed(attempts.map(() => ({ _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 1 })))
  })
)

/** What is printed while lines are committed, each after so many seconds; reviewers that have not ended are alive. */
const followed = (
  lines: ReadonlyArray<readonly [number, ReadonlyArray<Event>]>,
  { drawn = false, json = false }: Followed = {}
) => {
  const written: Array<string> = []
  const frames: Array<ReadonlyArray<string>> = []
  const layers = Layer.mergeAll(
    Layer.succeed(Output, { write: (text) => Effect.sync(() => void written.push(text)) }),
    Layer.succeed(Progress, {
      ...undrawn,
      on: drawn,
      show: (work, head = []) => Effect.sync(() => void frames.push([...head, ...work.map(({ name }) => name)]))
    }),
    reviewersAlive
  )
  return Effect.map(
    Effect.promise(() =>
      onMachine(
        Effect.gen(function*() {
          const log = yield* EventLog
          const head = yield* Ref.make(yield* log.create(reviewRun, run, [created()]))
          const [first, ...rest] = lines
          const commit = (events: ReadonlyArray<Event>) =>
            Effect.gen(function*() {
              yield* Ref.set(head, yield* log.append(reviewRun, run, yield* Ref.get(head), events))
            })
          yield* commit(first?.[1] ?? [])
          const going = Effect.forEach(rest, ([after, events]) =>
            Effect.andThen(Effect.sleep(after * 1000), commit(events)))
          yield* Effect.all([Effect.provide(follow(run, json, naming), layers), going], { concurrency: "unbounded" })
        })
      )
    ),
    () => ({ text: written.join(""), frames })
  )
}

/** What is printed while work drives a run: lines committed before it, and then during it. */
const narrated = (before: ReadonlyArray<Event>, during: ReadonlyArray<Event>, seconds = 5) => {
  const written: Array<string> = []
  const write = (text: string) => Effect.sync(() => void written.push(text))
  const layers = Layer.merge(Layer.succeed(Progress, undrawn), reviewersAlive)
  return onMachine(
    Effect.gen(function*() {
      const log = yield* EventLog
      const head = yield* log.append(reviewRun, run, yield* log.create(reviewRun, run, [created()]), before)
      yield* Effect.sleep(60_000)
      yield* narrateWhile(
        { limits: unlimited, stateRoot: null, write },
        Effect.succeed("opening\n"),
        (onRun) =>
          Effect.gen(function*() {
            yield* onRun(run)
            yield* Effect.sleep(5000)
            yield* Effect.orDie(log.append(reviewRun, run, head, during))
            yield* Effect.sleep(seconds * 1000)
          })
      ).pipe(Effect.provide(layers))
      return written.join("")
    })
  )
}

it("the work on a run reports soon after its start what it does, and then once a minute", async () => {
  const text = await narrated([], [batchStarted({ size: 1 }), started()], 70)
  assert.match(text, /^opening\nlow {7}running +5s.*\nlow {7}running +1m05s.*\n$/)
  assert.strictEqual(await narrated([], [batchStarted({ size: 1 }), started()], 4), "opening\n")
})

const both = [batchStarted(), started(), started({ slot: 2 })]
const clean = [finished("Clean"), finished("Clean", { slot: 2 }), batchCompleted(tree("t1"))]

it("the work on a run reports each new event once, and nothing of earlier calls", async () => {
  const first = [batchStarted({ size: 1 }), started(), finished("Clean"), batchCompleted(tree("t1"))]
  const second: ReadonlyArray<Event> = [
    opened("medium", 1),
    batchStarted({ level: "medium", size: 1 }),
    started({ level: "medium" }),
    finished("Clean", { level: "medium" }),
    { _tag: "BatchCompleted", level: "medium", batch: 1, identity: tree("t1") }
  ]
  const text = await narrated(first, second)
  assert.match(text, /^opening\nmedium +1 review +clean [^\n]*\n$/)
})

describe("following a run", () => {
  it("prints a line for each start, one a minute while it continues, and its end", async () => {
    const { text } = await Effect.runPromise(followed([[0, both], [130, clean]]))
    const lines = text.split("\n")
    assert.match(lines[0] ?? "", /^run \S+: uncommitted in /)
    assert.lengthOf(lines.filter((line) => /^low 1 {5}running /.test(line)), 3)
    assert.include(text, "\nlow      2 reviews   clean ")
    assert.match(text, /\nneeds you: low is clean and waits for its retrospective\n/)
  })

  it("ends only when no process will retry a failed review", async () => {
    const failing = [failed({ transient: true }), finished("Clean", { slot: 2 })]
    const { text } = await Effect.runPromise(followed([[0, both], [5, failing], [60, [batchFailed([1])]]]))
    assert.match(text, /\nlow {6}2 reviews {3}1 failed {4}1m0\ds\n/)
  })

  it("waits a moment for the step that continues after changed code", async () => {
    const moved = [...clean.slice(0, 2), batchCompleted(tree("t2"))]
    const again = [opened("low", 2), batchStarted({ batch: 2, size: 1 }), started({ batch: 2 })]
    const last: Event = { _tag: "BatchCompleted", level: "low", batch: 2, identity: tree("t1") }
    const { text } = await Effect.runPromise(
      followed([[0, both], [5, moved], [1, again], [10, [finished("Clean", { batch: 2 }), last]]])
    )
    assert.match(text, /\nneeds you: low is clean and waits for its retrospective\n/)
  })

  it("is redrawn on a terminal; only finished parts scroll", async () => {
    const { frames, text } = await Effect.runPromise(followed([[0, both], [10, clean]], { drawn: true }))
    assert.notInclude(text, "low 1")
    assert.deepStrictEqual(frames[0]?.slice(0, 1), ["running: 2 of 2 reviewers at low"])
    assert.deepStrictEqual(frames[0]?.slice(2), ["low 1", "low 2"])
  })

  it("prints a document for each change, and none when only time passes", async () => {
    const { text } = await Effect.runPromise(
      followed([[0, both], [30, [finished("Clean")]], [30, clean.slice(1)]], { json: true })
    )
    const documents = text.trimEnd().split("\n").map((line) => JSON.parse(line))
    assert.deepStrictEqual(documents.map(({ reviews, state }) => [state, reviews]), [
      ["Running", 0],
      ["Running", 1],
      ["NeedsYou", 2]
    ])
  })
})
