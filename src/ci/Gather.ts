// Gather: what the runs of a job have come to: their findings, their way through the levels, a page about each.
import { Effect } from "effect"
import type { Mark, Point } from "../core/ci/WayChart.ts"
import { slotsOf, type StartedBatch } from "../core/run/Batch.ts"
import { batchesOf } from "../core/run/PastBatches.ts"
import { identityText } from "../core/run/Identity.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { page } from "../core/report/page/Page.ts"
import { findings } from "../history/Findings.ts"
import type { Run } from "../runs/Run.ts"
import { report } from "../report/Report.ts"
import { EventLog } from "../services/EventLog.ts"
import { recovered } from "../services/Note.ts"

const markOf = (batch: StartedBatch): Mark => {
  if (slotsOf(batch, "Failed").length > 0) return "Failed"
  const finished = slotsOf(batch, "Finished")
  if (finished.length < batch.size) return "Unfinished"
  return finished.every(({ verdict }) => verdict === "Clean") ? "Clean" : "Issues"
}

/** The batches of a run in their order. */
export const wayOf = Effect.fn("Gather.wayOf")(function*(run: RunRef) {
  const { commits } = yield* (yield* EventLog).read(reviewRun, run)
  return batchesOf(commits).map(({ batch, level }): Point => ({ level, mark: markOf(batch) }))
})

/** What the reviewers of a run's last batch saw, in words; null where it has none. */
export const codeOf = ({ manifest: { batch } }: Run): string | null =>
  batch._tag === "NotStarted" ? null : identityText(batch.completed ?? batch.identity)

/** The findings of a run's last batch; null where it has none that can be told. */
export const findingsOf = (run: RunRef, trustFrom: string | null) =>
  findings(run, { trustFrom }).pipe(
    Effect.tapError(recovered("the job tells no findings of this run")),
    Effect.catchTag("NoFindings", () => Effect.succeed(null))
  )

/** The page about a run. */
export const pageOf = (run: RunRef) => Effect.map(report(run), page)
