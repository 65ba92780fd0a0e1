// AwaitReviews: the one Wait action: sleeps while reviewers run, and wakes when the batch can be decided.
// The one rule: no lock is held and no iteration is spent here; what ends meanwhile is recorded at once.
import { Clock, Effect, Ref } from "effect"
import { assess } from "../core/run/Batch.ts"
import type { Identity } from "../core/run/Identity.ts"
import { completedBy, observe, orient } from "./Observe.ts"
import { gatherRows } from "./ReviewerRows.ts"
import { refresh, type Run } from "../runs/Run.ts"
import { startDue } from "./StartReviews.ts"
import { Progress } from "../services/Progress.ts"
import type { StepOptions } from "../step/StepOptions.ts"

// Watching files alone does not see a death, so liveness is looked at this often; half a look is lost on average.
const lookEvery = 50
// A person who watches sees seconds pass; the ends of transcripts are read no more often than that.
const showEvery = 1000
// Even a poll interval of 0 leaves the processor to the reviewers between two looks.
const breath = 10

/** How a wait ended: whether the step's own time is over, and what its last look completed the batch with, if so. */
export interface Waited {
  readonly timeOver: boolean
  readonly completed: Identity | null
}

/**
 * Waits until the batch is no longer running, at most the poll interval and not past `until` (both in
 * milliseconds). Starts queued slots and due retries on the way.
 */
export const awaitReviews = Effect.fn("Await.awaitReviews")(
  function*(current: Ref.Ref<Run>, options: StepOptions, until: number) {
    const progress = yield* Progress
    const begun = yield* Clock.currentTimeMillis
    const end = begun + options.pollInterval
    let showAt = begun
    while (true) {
      const read = yield* refresh(yield* Ref.get(current))
      yield* Ref.set(current, read)
      const seen = yield* observe(read)
      const looked = yield* orient(read, seen, options.limits)
      yield* Ref.set(current, looked)
      if (assess(looked.manifest.batch, options.limits.retries)._tag !== "Running") {
        return { timeOver: false, completed: completedBy(read, looked) } satisfies Waited
      }
      yield* Ref.set(current, yield* startDue(looked, options.starting))
      const now = yield* Clock.currentTimeMillis
      if (progress.on && now >= showAt) {
        yield* progress.show(yield* gatherRows(looked, seen))
        showAt = now + showEvery
      }
      if (now >= until) return { timeOver: true, completed: null } satisfies Waited
      yield* Effect.sleep(Math.max(breath, Math.min(lookEvery, end - now, until - now)))
      if (now >= end) return { timeOver: false, completed: null } satisfies Waited
    }
  }
)
