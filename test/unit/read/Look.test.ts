// Look: the present state of a run, from its logs and its processes.
import { Clock, Effect, Layer, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { convergeRun } from "../../../src/drive/converge/State.ts"
import { EventLog, LogDamaged } from "../../../src/log/EventLog.ts"
import { look, looking } from "../../../src/read/Look.ts"
import { statusText } from "../../../src/read/RunStatus.ts"
import { runFields } from "../../../src/read/Runs.ts"
import { type Fate, ReviewFiles, ReviewFilesFailed } from "../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import type { Event } from "../../../src/run/Event.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { agentStarted, driving } from "../drive/converge/events.ts"
import { driverStarted, roundStarted, tested } from "../drive/converge/streams.ts"
import { call, inWorld, settings } from "../drive/plan/plans.ts"
import { batchStarted, created, failed, finished, opened, runRef, started } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"

const run = runRef()
const refused = { _tag: "SystemRefused", code: "EACCES", call: "open", said: "not permitted" } as const
const running = [batchStarted(), started(), started({ slot: 2 })]

/** Writes a run of these lines, committed one minute apart. */
const written = Effect.fnUntraced(function*(lines: ReadonlyArray<ReadonlyArray<Event>>) {
  const log = yield* EventLog
  let head = yield* log.create(reviewRun, run, [created({ createdAt: "1970-01-01T00:00:00.000Z" })])
  for (const line of lines) {
    yield* Effect.sleep("1 minute")
    head = yield* log.append(reviewRun, run, head, line)
  }
})

const looked = (lines: ReadonlyArray<ReadonlyArray<Event>>) => onMachine(Effect.andThen(written(lines), look(run)))

describe("the figures of a run", () => {
  it("cover the whole log", async () => {
    const view = await looked([running, [finished("HasIssues"), failed({ slot: 2 })], [opened("medium", 1)]])
    assert.deepInclude(runFields(view), {
      run: { run: run.runId, repo: "repo-noremote", target: "uncommitted" },
      plan: null,
      worktree: "/repo",
      floor: "low",
      level: "medium",
      batch: 1,
      batches: 1,
      rounds: 0,
      reviews: 1,
      failures: 1,
      created: "1970-01-01T00:00:00.000Z",
      opened: { because: "NoLatestPointer", byMark: false }
    })
    assert.strictEqual(view.head.seq, 4)
  })

  it("measure from the creation to the last line, or to now while the run is active", async () => {
    const { milliseconds, updated } = runFields(await looked([[{ _tag: "StepAborted", signal: "SIGINT" }]]))
    assert.isAtLeast(milliseconds ?? 0, 60_000)
    assert.strictEqual(milliseconds, Date.parse(updated ?? ""))
    const [view, now] = await onMachine(Effect.gen(function*() {
      yield* written([running])
      yield* Effect.sleep("1 hour")
      return [yield* withReviewers("Alive", look(run)), yield* Clock.currentTimeMillis] as const
    }))
    assert.strictEqual(runFields(view).milliseconds, now)
  })
})

const alive: ReviewerState = { _tag: "Alive", silentFor: 7000, waitingForNetwork: 0, bytes: 10 }

/** Looks at a run whose reviewers all have this fate. */
const withReviewers = <A, E, R>(fate: Fate | "unseen", effect: Effect.Effect<A, E, R>) =>
  Effect.provide(
    effect,
    Layer.merge(
      Layer.mock(ReviewFiles)({
        fate: () =>
          fate === "unseen" ? Effect.fail(new ReviewFilesFailed({ path: "x", reason: refused })) : Effect.succeed(fate)
      }),
      Layer.mock(Reviewers)({ look: (attempts) => Effect.succeed(attempts.map(() => alive)) })
    )
  )

describe("reviewers", () => {
  const ended = "interrupted: 2 reviews at low ended and are not recorded"
  it.each<readonly [Fate | "unseen", string, number]>([
    ["Alive", "running: 2 of 2 reviewers at low", 2],
    ["Exited", ended, 0],
    ["Gone", ended, 0],
    ["unseen", ended, 0]
  ])("that are %s", async (fate, expected, rows) => {
    const view = await onMachine(Effect.andThen(written([running]), withReviewers(fate, look(run))))
    assert.strictEqual(statusText(view.status), expected)
    assert.deepStrictEqual([view.reviewers, view.work.length], [rows, rows])
  })
})

it("unfinished agents and tests count as work", async () => {
  const view = await onMachine(Effect.gen(function*() {
    yield* written([])
    const log = yield* EventLog
    const head = yield* log.create(convergeRun, run, [driving])
    const [test] = tested(1, 1, 0)
    yield* log.append(convergeRun, run, head, [
      driverStarted(),
      roundStarted(),
      agentStarted({ taskId: "round-1/address" }),
      test
    ])
    yield* Effect.sleep("30 seconds")
    return yield* look(run)
  }))
  assert.deepStrictEqual(view.work.map(({ activity, elapsed, name, state }) => [name, state, elapsed, activity]), [
    ["codex", "running", 30_000, "works on the findings: begins"],
    ["test", "running", 30_000, "npm test"]
  ])
})

describe("a log that cannot be read", () => {
  it("shows everything before the damage", async () => {
    const view = await onMachine(Effect.gen(function*() {
      yield* written([])
      const log = yield* EventLog
      const damage = new LogDamaged({ path: "x", line: 2, offset: 99, kind: "bad hash" })
      const stream = Layer.mock(EventLog)({
        stream: (kind, one, after) => Stream.concat(log.stream(kind, one, after), Stream.fail(damage))
      })
      return yield* Effect.provide(look(run), stream)
    }))
    assert.strictEqual(statusText(view.status), "unreadable: its log is damaged at line 2: bad hash")
    assert.deepInclude(runFields(view), { floor: "low", level: "low", worktree: "/repo" })
  })
})

it("a second look continues from the first, and shows the same as a fresh one", async () => {
  const [first, again, fresh] = await onMachine(Effect.gen(function*() {
    yield* written([running])
    const next = looking(run)
    const first = yield* next
    const log = yield* EventLog
    yield* log.append(reviewRun, run, first.head, [finished("Clean"), finished("Clean", { slot: 2 })])
    return [first, yield* next, yield* look(run)]
  }))
  assert.strictEqual(first?.batches[0]?.verdict, "Unfinished")
  assert.strictEqual(again?.batches[0]?.verdict, "Clean")
  assert.deepStrictEqual(again, fresh)
})

describe("a plan run", () => {
  it("has its rounds, its reviews, and the run that converged its code", async () => {
    const view = await inWorld({}, Effect.flatMap(call(settings({ then: "converge" })), ({ run }) => look(run)))
    assert.deepInclude(runFields(view), {
      plan: "/repo/plan.md",
      rounds: 1,
      reviews: 1,
      worktree: "/repo",
      floor: null,
      failures: 0
    })
    assert.strictEqual(view.status.state, "Done")
    assert.strictEqual(view.ladder?.status.reason, "FixedPoint")
  })

  it("is empty without a log", async () => {
    const view = await inWorld({}, Effect.flatMap(call(), ({ run }) => look({ ...run, runId: "none" })))
    assert.strictEqual(view.status.state, "Empty")
  })
})
