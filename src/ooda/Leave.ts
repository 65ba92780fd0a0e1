// Leave: what becomes of the reviewers of a batch that a mark leaves, and of a run that a new one replaces.
// The one rule: reviews that have ended are recorded first; what still runs is recorded as stopped and ended.
import { Effect } from "effect"
import { refresh, type Run } from "../runs/Run.ts"
import { commitEnd, openAttempts, stopEvents } from "./Stop.ts"

/**
 * The run with the reviews recorded that have ended while nobody waited: they count for whatever leaves their batch.
 * What cannot be taken in must not stand in its way. Only then is what looks at reviewers loaded.
 */
export const takeInEnded = Effect.fnUntraced(function*(run: Run) {
  if (openAttempts(run).length === 0) return run
  const { takeIn } = yield* Effect.promise(() => import("./StopRun.ts"))
  return yield* Effect.catch(takeIn(run), (error) =>
    error._tag === "LogConflict" ? Effect.fail(error) : Effect.succeed(run))
})

/**
 * Leaves the reviewers of the run that a new one replaces neither running nor unrecorded. Done before it is
 * replaced, so that a step that ends in between leaves nobody behind, and once more for what was started meanwhile.
 */
export const leave = Effect.fnUntraced(function*(previous: Run | null) {
  if (previous === null) return
  const run = yield* takeInEnded(yield* refresh(previous))
  const stops = stopEvents(run, "Fresh")
  if (stops.length > 0) yield* commitEnd(run, stops)
}, Effect.retry({ while: (error) => error._tag === "LogConflict" }))
