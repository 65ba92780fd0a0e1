// RecordWaivers: records why batches with issues count as clean, before anything is done that depends on it.
// Each batch gets one line of its own, and another one only when its reasons have changed.
import { Effect } from "effect"
import type { At } from "../core/findings/Review.ts"
import { commit, type Run } from "../runs/Run.ts"
import { type Waivers, waiverEvents } from "../runs/Waivers.ts"

/** What to record: the batches that count as clean, and why their issues do not block. */
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
