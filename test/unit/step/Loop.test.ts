// Loop: observe, record, decide, act: how decisions are carried out, who watches waits, and when the loop is stuck.
// A clean batch only counts for the present code, whoever completed it.
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { Git } from "../../../src/code/Git.ts"
import { GitHub } from "../../../src/code/GitHub.ts"
import { Live } from "../../../src/layers.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { Signals } from "../../../src/platform/Process.ts"
import { Progress, silent, type WorkRow, workText } from "../../../src/review/Progress.ts"
import { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { noWaivers } from "../../../src/review/Waivers.ts"
import { Dismissals } from "../../../src/review/findings/Dismissals.ts"
import type { Batch } from "../../../src/run/Batch.ts"
import type { Decision } from "../../../src/run/Decide.ts"
import * as Invocation from "../../../src/run/Invocation.ts"
import { make } from "../../../src/run/Invocation.ts"
import { initial, replay } from "../../../src/run/Manifest.ts"
import type { AttemptRef } from "../../../src/run/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { commit, currentBatch, openAttempts, type Run } from "../../../src/run/Run.ts"
import { defaultIterations } from "../../../src/run/StepSettings.ts"
import { act, advanced, awaitReviews, capReached, loop, noTurns, unlessRepeated } from "../../../src/step/Loop.ts"
import type { NextDecision } from "../../../src/step/Next.ts"
import { Scripted } from "../../../src/testing.ts"
import { identityOf } from "../../../src/testing/memory/Code.ts"
import { layer as memoryEventLog } from "../../../src/testing/memory/EventLog.ts"
import {
  batchCompleted,
  batchStarted,
  created,
  finished,
  given,
  opened as batchOpened,
  runRef,
  started,
  stopped,
  tree
} from "../run/events.ts"
import { living, onMachine, opened, tags } from "../run/opened.ts"

const { settings } = Invocation.make({ target: { _tag: "Uncommitted" }, ceiling: "low", batchSize: 2 })
const options = { settings, cwd: "/repo", pollInterval: 1000, isStopped: Effect.succeed(false) }
const forEver = Number.POSITIVE_INFINITY

const next = (decision: Decision): NextDecision => ({
  decision,
  present: null,
  lost: null,
  waivers: noWaivers,
  takenForClean: []
})

const runs = next({ _tag: "RunReviews", cause: "not-started", key: "low/batch-1/not-started" })
const waits = next({ _tag: "AwaitReviews", key: "low/batch-1" })

describe("acting on", () => {
  it("reviews whose private repository is gone ends the call, with the repository and the next batch", async () => {
    const replaced: NextDecision = {
      ...next({ _tag: "RunReviews", cause: "target-changed", key: "low/target-changed" }),
      lost: "/private"
    }
    const before = [batchStarted({ isolated: "/private" }), started(), finished("Clean"), stopped({ slot: 2 })]
    const { outcome } = await onMachine(Effect.flatMap(opened(before), (run) => act(run, replaced, forEver, options)))
    assert.deepStrictEqual(outcome, {
      _tag: "BinaryError",
      message: "the private repository of low batch 1 (/private) is gone: low batch 2 reviews the code instead " +
        "[call again to await it; 1 finished review of low batch 1 kept]"
    })
  })

  /** Waits for two reviewers that take this time, until a deadline at most. */
  const awaiting = (takes: number, until: number) =>
    onMachine(
      Effect.gen(function*() {
        const { run } = yield* act(yield* opened(), runs, forEver, options)
        return yield* act(run, waits, until, options)
      }),
      { script: () => Scripted.clean(takes) }
    )

  it("a wait after the caller was asked to stop ends its reviewers", async () => {
    const { acted, left, written } = await onMachine(
      Effect.gen(function*() {
        const { run } = yield* act(yield* opened(), runs, forEver, options)
        const acted = yield* act(run, waits, forEver, { ...options, isStopped: Effect.succeed(true) })
        return { acted, left: yield* living, written: yield* tags }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual([acted.outcome, left], [null, []])
    assert.deepStrictEqual(written.at(-1), ["ReviewStopped", "ReviewStopped"])
  })

  it("a start after the caller was asked to stop ends its reviewers, even if the call would end now", async () => {
    const replaced: NextDecision = {
      ...next({ _tag: "RunReviews", cause: "target-changed", key: "low/target-changed" }),
      lost: "/private"
    }
    const asked = { ...options, isStopped: Effect.succeed(true) }
    const { acted, left, written } = await onMachine(
      Effect.gen(function*() {
        const before = [batchStarted({ isolated: "/private" }), started(), finished("Clean"), stopped({ slot: 2 })]
        const acted = yield* act(yield* opened(before), replaced, forEver, asked)
        return { acted, left: yield* living, written: yield* tags }
      }),
      { script: () => Scripted.silence }
    )
    assert.deepStrictEqual([acted.outcome, left], [null, []])
    assert.deepStrictEqual(written.at(-1), ["ReviewStopped", "ReviewStopped"])
  })

  it("a wait returns the identity that was computed when the batch was completed", async () => {
    const { completed, outcome, run } = await awaiting(500, forEver)
    assert.deepStrictEqual([completed, outcome, run.head.seq], [identityOf("code-1", null), null, 3])
  })

  it("a wait that ends with its poll interval returns no identity", async () => {
    const { completed, outcome, run } = await awaiting(60_000, forEver)
    assert.deepStrictEqual([completed, outcome, run.head.seq], [null, null, 2])
  })
})

describe("awaiting reviews", () => {
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

  /** Waits a poll interval of 30 s for two living reviewers; returns what was shown and the number of tails read. */
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
    it("reads no transcript and shows nothing if nobody watches", async () =>
      assert.deepEqual(await waiting(false), { shown: [], tails: 0 }))

    it("shows every reviewer once a second, and reads the end of each transcript as often", async () => {
      const { shown, tails } = await waiting(true)
      assert.isAtLeast(shown.length, 30)
      assert.isAtMost(shown.length, 31)
      assert.strictEqual(tails, 2 * shown.length)
      assert.deepEqual(shown[3]?.map(workText), [
        "low-1     running       3s  $ git diff",
        "low-2     running       3s  $ git diff"
      ])
    })

    it("listens before it looks, and looks again every two seconds or on an event", async () => {
      const calls: Array<string> = []
      const codex = Layer.mock(Reviewers)({
        locate: () => Effect.succeed("/bin/codex"),
        look: (attempts) => Effect.andThen(Effect.sync(() => calls.push("look")), living(attempts)),
        listen: ({ batch, level }) =>
          Effect.sync(() => {
            calls.push(`listen to ${level}/${batch}`)
            return (attempts, limit) => {
              calls.push(`wait for ${attempts.map(({ slot }) => slot)}, ${limit} ms`)
              return Effect.sleep(calls.length === 3 ? 1 : limit)
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
      assert.deepStrictEqual(calls, [...expected, "wait for 1,2, 10 ms"])
    })

    it("stops waiting if another process started another batch", async () => {
      const other = { level: "low", batch: 2 } as const
      const over = Effect.gen(function*() {
        const run = yield* begun
        const left = [stopped(), stopped({ slot: 2 }), batchOpened("low", 2, { cause: "TargetChanged" })]
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
})

describe("a loop beside another process", () => {
  const { settings } = make({ target: { _tag: "Uncommitted" }, ceiling: "low", batchSize: 1, maxBatches: 1 })
  const options = { settings, cwd: "/", pollInterval: 30_000, isStopped: Effect.succeed(false) }
  const alive: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 9 }

  /** The outcome of a step that waits while another one completes the batch; `now` is the tree after that. */
  const besideAnother = (now: string) =>
    Effect.gen(function*() {
      const log = yield* EventLog
      const head = yield* log.create(reviewRun, runRef(), [
        created({ batchSize: 1 }),
        batchStarted({ size: 1 }),
        started()
      ])
      const { commits } = yield* log.read(reviewRun, runRef())
      const run: Run = { ref: runRef(), manifest: replay(initial(created({ batchSize: 1 })), commits), head }
      const others = commit(run, [finished("Clean"), batchCompleted(tree("t1"))])
      const another = yield* Effect.cached(others.pipe(Effect.provideService(EventLog, log), Effect.orDie))
      let looks = 0
      const codex = Layer.mock(Reviewers)({
        listen: () => Effect.succeed(() => Effect.void),
        look: (attempts) => Effect.as(looks++ === 0 ? Effect.void : another, attempts.map(() => alive))
      })
      return (yield* Effect.provide(loop(run, options), codex)).outcome
    }).pipe(
      Effect.provide(Layer.mergeAll(
        memoryEventLog,
        Layer.mock(Git)({ identity: () => Effect.succeed(tree(now)) }),
        Layer.mock(Dismissals)({}),
        Layer.mock(Signals)({}),
        Layer.mock(GitHub)({}),
        Live.runStore,
        Layer.mock(ReviewFiles)({})
      )),
      Effect.runPromise
    )

  describe("a batch that another step completed", () => {
    it("counts while the code is the same", async () =>
      assert.deepStrictEqual(await besideAnother("t1"), { _tag: "DoneFixedPoint" }))

    it("does not count if the code changed since", async () =>
      assert.deepStrictEqual(await besideAnother("t2"), {
        _tag: "StuckCapReached",
        action: "RunReviews",
        key: "low/target-changed/max-batches"
      }))
  })
})

describe("repetitions", () => {
  const runs = (key: string): Decision => ({ _tag: "RunReviews", cause: "not-started", key })
  const waits: Decision = { _tag: "AwaitReviews", key: "low/batch-1" }
  const halts: Decision = { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } }
  const notStarted: Batch = { _tag: "NotStarted" }

  /** A reviewed batch, of the worktree or of a copy, and why the reviewed code is unknown. */
  const reviewed = (isolated: string | null, why: string | null): Batch =>
    given([created()], [
      batchStarted(isolated === null ? { size: 1 } : { size: 1, isolated }),
      started(),
      finished("Clean"),
      batchCompleted(why === null ? tree("t2") : { _tag: "Unknown", why })
    ]).batch

  /** The state after these decisions, each carried out. */
  const after = (decisions: ReadonlyArray<Decision>, maxIter: number | null = null) =>
    decisions.reduce((turns, decision) => advanced(turns, decision, maxIter), noTurns)

  describe("the same reviews", () => {
    it("are not run twice in a row: StuckRepeated names them", () =>
      assert.deepStrictEqual(unlessRepeated(runs("low/stale"), after([runs("low/stale")]), notStarted), {
        _tag: "Halt",
        outcome: { _tag: "StuckRepeated", action: "RunReviews", key: "low/stale" }
      }))

    it("of code that keeps changing come with advice: isolate it, let it rest, or what changed the copy", () => {
      const turns = after([runs("low/target-changed")])
      const changed = "the copy of the code that reviewers read was changed while they ran: a.txt"
      const batches = [reviewed(null, null), reviewed("/copy", null), reviewed("/copy", changed)]
      const advice = batches.map((batch) => {
        const decision = unlessRepeated(runs("low/target-changed"), turns, batch)
        return decision._tag === "Halt" && decision.outcome._tag === "StuckRepeated" ? decision.outcome.advice : ""
      })
      assert.match(advice[0] ?? "", /the code changed under review .* or call with --isolate/)
      assert.match(advice[1] ?? "", /leave it unchanged while reviews run$/)
      assert.strictEqual(advice[2], changed)
      const named = unlessRepeated(runs("low/target-changed"), turns, reviewed(null, null), ["a.txt", "gen/b.ts"])
      assert.include(
        JSON.stringify(named),
        "changed under review again and again (a.txt, gen/b.ts): leave it unchanged"
      )
    })

    it("are recognised through the waits between them", () =>
      assert.strictEqual(unlessRepeated(runs("a"), after([runs("a"), waits, waits]), notStarted)._tag, "Halt"))

    it("may be run again after others", () =>
      assert.deepStrictEqual(unlessRepeated(runs("a"), after([runs("a"), runs("b")]), notStarted), runs("a")))

    it("are run the first time", () =>
      assert.deepStrictEqual(unlessRepeated(runs("a"), noTurns, notStarted), runs("a")))

    it("do not stop a wait or a halt", () => {
      const turns = after([runs(waits.key)])
      assert.deepStrictEqual([waits, halts].map((decision) => unlessRepeated(decision, turns, notStarted)), [
        waits,
        halts
      ])
    })
  })

  describe("the limit of iterations", () => {
    const runsOf = (count: number) => Array.from({ length: count }, (_, i) => runs(String(i)))

    it("is reached by the action that uses the last iteration, and is named after it", () => {
      for (const [maxIter, cap] of [[2, 2], [null, defaultIterations]] as const) {
        assert.isNull(capReached(after(runsOf(cap - 1), maxIter), runs("a"), maxIter))
        assert.deepStrictEqual(capReached(after(runsOf(cap), maxIter), runs("b"), maxIter), {
          _tag: "StuckCapReached",
          action: "RunReviews",
          key: "b"
        })
      }
    })

    it("counts waits if it was given, even with the default value", () => {
      for (const cap of [2, defaultIterations]) {
        const steps = [runs("a"), ...Array.from({ length: cap - 1 }, () => waits)]
        assert.deepStrictEqual(capReached(after(steps, cap), waits, cap), {
          _tag: "StuckCapReached",
          action: "AwaitReviews",
          key: waits.key
        })
      }
    })

    it("does not count waits if it was not given", () => {
      const long = after([runs("a"), ...Array.from({ length: 100 }, () => waits)])
      assert.deepStrictEqual([long.iterations, capReached(long, waits, null)], [1, null])
    })

    it("does not replace a halt", () => assert.isNull(capReached({ iterations: 9, lastRun: null }, halts, 1)))

    it("is not used up by a halt", () => assert.deepStrictEqual(after([runs("a"), halts]), after([runs("a")])))
  })
})
