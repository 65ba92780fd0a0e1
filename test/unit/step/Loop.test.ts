// The loop beside another process: what the other one recorded is taken in, and looked at with fresh eyes.
// The one rule: a clean batch is acted on only for the code that is there now, whoever saw it complete.
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { make } from "../../../src/run/Invocation.ts"
import { initial, replay } from "../../../src/run/Manifest.ts"
import { loop } from "../../../src/step/Loop.ts"
import { commit, type Run } from "../../../src/run/Run.ts"
import type { ReviewerState } from "../../../src/run/ReviewTokens.ts"
import { Reviewers } from "../../../src/review/Reviewers.ts"
import { Live } from "../../../src/layers.ts"
import { Dismissals } from "../../../src/review/findings/Dismissals.ts"
import { EventLog } from "../../../src/log/EventLog.ts"
import { Git } from "../../../src/code/Git.ts"
import { GitHub } from "../../../src/code/GitHub.ts"
import { ReviewFiles } from "../../../src/review/ReviewFiles.ts"
import { Signals } from "../../../src/platform/Process.ts"
import { layer as memoryEventLog } from "../../../src/testing/memory/EventLog.ts"
import { batchCompleted, batchStarted, created, finished, runRef, started, tree } from "../run/events.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"

const { settings } = make({ target: { _tag: "Uncommitted" }, ceiling: "low", batchSize: 1, maxBatches: 1 })
const options = { settings, cwd: "/", pollInterval: 30_000, isStopped: Effect.succeed(false) }
const alive: ReviewerState = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 9 }

/** The outcome of a step that waits while another one sees the batch complete; `now` is the tree after that. */
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

describe("a batch that another step saw complete", () => {
  it("is acted on while the code is the same", async () =>
    assert.deepStrictEqual(await besideAnother("t1"), { _tag: "DoneFixedPoint" }))

  it("is not acted on when the code has changed since", async () =>
    assert.deepStrictEqual(await besideAnother("t2"), {
      _tag: "StuckCapReached",
      action: "RunReviews",
      key: "low/target-changed/max-batches"
    }))
})
