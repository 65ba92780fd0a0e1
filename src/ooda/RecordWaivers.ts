// RecordWaivers: records why batches with issues count as clean, before anything is done that depends on it.
// Each batch stands in a line of its own, and once only, until it would be said otherwise.
import { Effect } from "effect"
import type { At } from "../core/findings/Review.ts"
import { commit, type Run } from "../runs/Run.ts"
import { type Waivers, waiverEvents } from "../runs/Waivers.ts"

/** What is to be recorded: the batches that count as clean, and why nothing of them blocks. */
export interface Waiving {
  readonly waivers: Waivers
  readonly takenForClean: ReadonlyArray<At>
}

/** The run with that recorded. LogConflict when another process was first. */
export const recordWaivers = Effect.fn("RecordWaivers.recordWaivers")(
  function*(run: Run, { takenForClean, waivers }: Waiving) {
    const { strict } = run.manifest
    if (strict === undefined || takenForClean.length === 0) return run
    const events = yield* waiverEvents(run, strict, waivers, takenForClean)
    return yield* Effect.reduce(events, () => run, (before, event) => commit(before, [event]))
  }
)
