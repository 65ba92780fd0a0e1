// A waiting step and the person who watches it, under virtual time: what is shown, how often, and at what cost.
// The one rule: where nobody watches, no transcript is looked into.
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { awaitReviews } from "../../../src/step/Loop.ts"
import { make } from "../../../src/run/Invocation.ts"
import { initial, replay } from "../../../src/run/Manifest.ts"
import { Progress, silent, type WorkRow, workText } from "../../../src/review/Progress.ts"
import type { AttemptRef } from "../../../src/run/Refs.ts"
import { commit, currentBatch, openAttempts, type Run } from "../../../src/run/Run.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { Live } from "../../../src/layers.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { Git } from "../../../src/code/Git.ts"
import { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Signals } from "../../../src/platform/Process.ts"
import { layer as memoryEventLog } from "../../../src/testing/memory/EventLog.ts"
import { batchStarted, created, opened, runRef, started, stopped } from "../run/events.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"

const { settings } = make({ target: { _tag: "Uncommitted" }, batchSize: 2 })

const living = (attempts: ReadonlyArray<AttemptRef>) =>
  Effect.succeed(attempts.map((): ReviewerState => ({ _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 9 })))

const machine = Layer.mergeAll(
  memoryEventLog,
  Layer.mock(Git)({}),
  Layer.mock(Signals)({}),
  Live.runStore,
  Layer.mock(ReviewFiles)({}),
  Layer.mock(Reviewers)({
    locate: () => Effect.succeed("/bin/codex"),
    stop: () => Effect.succeed(0),
    listen: () => Effect.succeed((_, limit) => Effect.sleep(limit)),
    look: living
  })
)

/** Two reviewers that were started in a run of their own. */
const begun = Effect.gen(function*() {
  const log = yield* EventLog
  const events = [created({ batchSize: 2 }), batchStarted(), started(), started({ slot: 2, id: "id-2" })]
  const head = yield* log.create(reviewRun, runRef(), events)
  const { commits } = yield* log.read(reviewRun, runRef())
  return { ref: runRef(), manifest: replay(initial(created({ batchSize: 2 })), commits), head } satisfies Run
})
const options = { settings, cwd: "/", pollInterval: 30_000, isStopped: Effect.succeed(false) }

/** Waits a whole poll interval of 30 s on two living reviewers; what was shown and how many tails were read. */
const waiting = (on: boolean) =>
  Effect.gen(function*() {
    const shown: Array<ReadonlyArray<WorkRow>> = []
    let tails = 0
    const watcher = {
      ...silent,
      on,
      tail: () => Effect.sync(() => (tails++, "exec\ngit diff in /repo\n")),
      show: (rows: ReadonlyArray<WorkRow>) => Effect.sync(() => void shown.push(rows))
    }
    const run = yield* begun
    const fiber = yield* Effect.forkChild(
      awaitReviews(run, options, Number.POSITIVE_INFINITY).pipe(Effect.provideService(Progress, watcher))
    )
    yield* TestClock.adjust("31 seconds")
    assert.deepStrictEqual(yield* Fiber.join(fiber), { run, timeOver: false, completed: null })
    return { shown, tails }
  }).pipe(Effect.provide(Layer.mergeAll(machine, TestClock.layer())), Effect.runPromise)

describe("a waiting step", () => {
  it("reads no transcript and shows nothing where nobody watches", async () =>
    assert.deepEqual(await waiting(false), { shown: [], tails: 0 }))

  it("shows every reviewer once a second, and reads each transcript's end as often", async () => {
    const { shown, tails } = await waiting(true)
    assert.isAtLeast(shown.length, 30)
    assert.isAtMost(shown.length, 31)
    assert.strictEqual(tails, 2 * shown.length)
    assert.deepEqual(shown[3]?.map(workText), [
      "low-1     running       3s  $ git diff",
      "low-2     running       3s  $ git diff"
    ])
  })

  it("listens before it looks, and looks again only every two seconds or when it hears something", async () => {
    const told: Array<string> = []
    const codex = Layer.mock(Reviewers)({
      locate: () => Effect.succeed("/bin/codex"),
      look: (attempts) => Effect.andThen(Effect.sync(() => told.push("look")), living(attempts)),
      listen: ({ batch, level }) =>
        Effect.sync(() => {
          told.push(`listen to ${level}/${batch}`)
          return (attempts, limit) => {
            told.push(`wait for ${attempts.map(({ slot }) => slot)}, ${limit} ms`)
            return Effect.sleep(told.length === 3 ? 1 : limit)
          }
        })
    })
    const run = begun.pipe(Effect.flatMap((one) => awaitReviews(one, { ...options, pollInterval: 5000 }, Infinity)))
    await Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.provide(run, codex))
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(fiber)
    }).pipe(Effect.provide(Layer.mergeAll(machine, TestClock.layer())), Effect.runPromise)
    const wait = (limit: number) => [`wait for 1,2, ${limit} ms`, "look"]
    const expected = ["listen to low/1", "look", ...wait(2000), ...wait(2000), ...wait(2000), ...wait(999)]
    assert.deepStrictEqual(told, [...expected, "wait for 1,2, 10 ms"])
  })

  it("stops waiting where another process has gone on to another batch", async () => {
    const other = { level: "low", batch: 2 } as const
    const over = Effect.gen(function*() {
      const run = yield* begun
      const left = [stopped(), stopped({ slot: 2 }), opened("low", 2, { cause: "TargetChanged" })]
      yield* commit(run, [...left, batchStarted({ ...other, size: 1 }), started(other)])
      return yield* awaitReviews(run, options, Infinity)
    })
    const { run, timeOver } = await over.pipe(
      Effect.provide(Layer.mergeAll(machine, TestClock.layer())),
      Effect.runPromise
    )
    assert.deepStrictEqual([currentBatch(run).batch, openAttempts(run).length, timeOver], [2, 1, false])
  })
})
