// Record: how what was seen becomes lines: which events, in how many lines, settled when, and who is asked for what.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { differs } from "../../../src/run/Identity.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { observe } from "../../../src/review/Observe.ts"
import { foresee, record } from "../../../src/review/Record.ts"
import { EventLog, LogConflict } from "../../../src/log/EventLog.ts"
import { refused } from "../../../src/code/CodeFailed.ts"
import { Git } from "../../../src/code/Git.ts"
import { Memory, Scripted } from "../../../src/testing.ts"
import { batchStarted, failed, finished, started, tree } from "../run/events.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { byAnother, lines, onMachine, opened, tags } from "../run/opened.ts"
import { alive, exited, leaving, looking } from "./reviewers.ts"

const limits = { retries: 1, idleTimeout: 60_000 }

/** A batch of a size with a reviewer started in each slot. */
const running = (size: number): ReadonlyArray<Event> => [
  batchStarted({ size }),
  ...Array.from({ length: size }, (_, i) => started({ slot: i + 1, id: `id-${i + 1}` }))
]

interface Asked {
  readonly left?: Scripted.Scripted
  readonly retries?: number
}

const machine = (states: (slot: number) => ReviewerState, left: Scripted.Scripted, told: Array<string>) => ({
  reviewers: looking(({ slot }) => states(slot)),
  reviewFiles: leaving(left),
  git: Layer.mock(Git)({ identity: () => Effect.sync(() => (told.push("identity"), tree("now"))) })
})

/** What is recorded of a run with these lines once it is looked at, and how often an identity was computed for it. */
const recorded = async (
  before: ReadonlyArray<Event>,
  states: (slot: number) => ReviewerState,
  { left = Scripted.clean(), retries = limits.retries }: Asked = {}
) => {
  const identities: Array<string> = []
  const result = await onMachine(
    Effect.gen(function*() {
      const run = yield* opened(before)
      const { completed, run: after } = yield* record(run, yield* observe(run), { ...limits, retries })
      return { completed, same: after === run, head: after.head.seq, lines: (yield* lines).slice(1) }
    }),
    machine(states, left, identities)
  )
  return { ...result, identities: identities.length, tags: result.lines.map((line) => line.map(({ _tag }) => _tag)) }
}

describe("recording", () => {
  it("writes nothing of reviewers that live", async () =>
    assert.deepInclude(await recorded(running(2), () => alive), { same: true, lines: [], identities: 0 }))

  it("writes what has ended, in one line, while others live", async () => {
    const one = (slot: number) => slot === 2 ? alive : exited()
    const { completed, identities, lines: [line], tags } = await recorded(running(3), one)
    assert.deepStrictEqual(tags, [["ReviewFinished", "ReviewFinished"]])
    assert.deepStrictEqual(line?.map((event) => "slot" in event ? event.slot : 0), [1, 3])
    assert.deepStrictEqual([completed, identities], [null, 0])
  })

  it("completes the batch in the line of its last review, and tells the identity that it computed once", async () => {
    const { completed, identities, lines: [line], tags } = await recorded(running(2), () => exited())
    assert.deepStrictEqual(tags, [["ReviewFinished", "ReviewFinished", "BatchCompleted"]])
    assert.deepInclude(line?.[2], { _tag: "BatchCompleted", level: "low", batch: 1, identity: tree("now") })
    assert.deepStrictEqual([completed, identities], [tree("now"), 1])
  })

  it("fails the batch in the line of its last failure, and names its slots", async () => {
    const broken = await recorded(running(2), () => exited(1), { left: Scripted.failure() })
    assert.deepStrictEqual(broken.tags, [["ReviewFailed", "ReviewFailed", "BatchFailed"]])
    assert.deepInclude(broken.lines[0]?.[2], { _tag: "BatchFailed", level: "low", batch: 1, slots: [1, 2] })
    assert.deepStrictEqual([broken.completed, broken.identities], [null, 0])
  })

  it("leaves a batch open that has a retry left", async () => {
    const asked = { left: Scripted.transientFailure() }
    assert.deepStrictEqual((await recorded(running(1), () => exited(1), asked)).tags, [["ReviewFailed"]])
    const none = await recorded(running(1), () => exited(1), { ...asked, retries: 0 })
    assert.deepStrictEqual(none.tags, [["ReviewFailed", "BatchFailed"]])
  })

  it("fails a batch whose retries are spent by this call's count, without a look at anybody", async () => {
    const spent = [batchStarted({ size: 1 }), started(), failed({ transient: true })]
    const asked = { retries: 0 }
    assert.deepStrictEqual((await recorded(spent, () => assert.fail("looked"), asked)).tags, [["BatchFailed"]])
  })

  it("settles a batch once", async () => {
    const complete = [
      batchStarted({ size: 1 }),
      started(),
      finished("Clean"),
      {
        _tag: "BatchCompleted",
        level: "low",
        batch: 1,
        identity: tree("then")
      } as const
    ]
    assert.deepInclude(await recorded(complete, () => alive), { same: true, lines: [], completed: null, identities: 0 })
  })

  it("completes an isolated batch with what was laid out, unless its copy is not that any more", async () => {
    const known = { _tag: "Known", head: "h", tree: "t", base: null } as const
    const gone = /the copy of the code that reviewers read was changed while they ran: it is gone$/
    for (
      const [found, why] of [
        [Effect.succeed([]), null],
        [Effect.succeed(["a.txt", "b", "c", "d"]), /while they ran: a\.txt, b, c$/],
        [Effect.succeed(null), gone],
        [Effect.fail(refused("the disk is away")), /while they ran: the disk is away$/]
      ] as const
    ) {
      const git = Layer.mock(Git)({ changesIn: () => found })
      const before = [batchStarted({ size: 1, isolated: "/private", identity: known }), started()]
      const { completed, written } = await onMachine(
        Effect.gen(function*() {
          const run = yield* opened(before)
          return { ...(yield* record(run, yield* observe(run), limits)), written: (yield* lines).at(-1)?.[1] }
        }),
        { ...machine(() => exited(), Scripted.clean(), []), git }
      )
      assert.isNull(completed)
      const identity = written?._tag === "BatchCompleted" ? written.identity : assert.fail("not completed")
      assert.strictEqual(differs(known, identity), why !== null)
      if (why === null) assert.deepStrictEqual(identity, known)
      else assert.match(identity._tag === "Unknown" ? identity.why : "", why)
    }
  })

  it("writes more reviewers than fit a line in several, and completes the batch in the last", async () => {
    const { completed, head, identities, tags } = await recorded(running(40), () => exited())
    assert.deepStrictEqual(tags.map((line) => line.length), [16, 16, 9])
    assert.strictEqual(tags[2]?.[8], "BatchCompleted")
    assert.deepStrictEqual([completed, head, identities], [tree("now"), 5, 1])
  })
})

describe("recording beside another process", () => {
  const review = (slot: number) => finished("Clean", { slot })

  it("loses to a process that was first, and records nothing", async () => {
    const [error, written] = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened(running(2))
        const seen = yield* observe(run)
        yield* byAnother(run, [review(1)])
        return [yield* Effect.flip(record(run, seen, limits)), yield* tags] as const
      }),
      machine(() => exited(), Scripted.clean(), [])
    )
    assert.instanceOf(error, LogConflict)
    assert.deepStrictEqual(written.slice(1), [["ReviewFinished"]])
  })

  it("records nobody twice whom another process records between two of its lines", async () => {
    // Right behind the first line, another process records half of what is left.
    const rival = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => {
        let appended = 0
        return EventLog.of({
          ...log,
          append: (kind, run, expected, events) =>
            Effect.tap(
              log.append(kind, run, expected, events),
              (head) => ++appended === 2 ? log.append(reviewRun, run, head, [17, 18].map(review)) : Effect.void
            )
        })
      })
    ).pipe(Layer.provide(Memory.eventLog))
    const written = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened(running(20))
        yield* record(run, yield* observe(run), limits)
        return yield* lines
      }),
      { ...machine(() => exited(), Scripted.clean(), []), eventLog: rival }
    )
    const slots = written.flat().flatMap((event) => event._tag === "ReviewFinished" ? [event.slot] : [])
    assert.deepStrictEqual([...slots].sort((a, b) => a - b), Array.from({ length: 20 }, (_, i) => i + 1))
    assert.strictEqual(written.at(-1)?.at(-1)?._tag, "BatchCompleted")
  })
})

describe("foreseeing", () => {
  it("is what recording would come to, with nothing written and the identity computed once", async () => {
    const identities: Array<string> = []
    const { completed, manifest, written } = await onMachine(
      Effect.gen(function*() {
        const run = yield* opened(running(20))
        const { completed, run: next } = yield* foresee(run, yield* observe(run, false), limits)
        return { completed, manifest: next.manifest, written: yield* lines }
      }),
      machine(() => exited(), Scripted.issues(), identities)
    )
    const { batch } = manifest
    const slots = batch._tag === "Started" ? batch.slots.map(({ _tag }) => _tag) : []
    assert.deepStrictEqual(slots, Array.from({ length: 20 }, () => "Finished"))
    assert.deepStrictEqual([completed, identities.length, written.length], [tree("now"), 1, 1])
  })
})
