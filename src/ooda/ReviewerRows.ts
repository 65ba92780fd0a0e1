// ReviewerRows: the rows of a run's current batch, gathered for a person who watches.
import { Clock, Effect } from "effect"
import { activityOf } from "../core/text/Activity.ts"
import { type Live, type Row, rowsOf } from "../core/loop/Row.ts"
import type { SeenReviewer } from "./Observe.ts"
import type { Run } from "../runs/Run.ts"
import { Progress } from "../services/Progress.ts"

/** The rows of a run as it stands, with what one look showed of its open attempts. */
export const gatherRows = Effect.fn("ReviewerRows.gatherRows")(function*(run: Run, seen: ReadonlyArray<SeenReviewer>) {
  const { tail } = yield* Progress
  const live = new Map<number, Live>()
  for (const { attempt, state } of seen) {
    if (state._tag !== "Alive") continue
    const activity = activityOf(yield* tail(attempt))
    live.set(attempt.slot, { silentFor: state.silentFor, activity })
  }
  return rowsOf(run.manifest, live, yield* Clock.currentTimeMillis) satisfies ReadonlyArray<Row>
})
