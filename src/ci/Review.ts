// Review: reviews a change once per level, and gathers what the runs of a job found, as findings, path and pages.
//
// A step of a workflow reviews or converges, and reports what came of it as SARIF, annotations, a summary, a page and
// one comment on the pull request. `cli/commands/ci.ts` puts the parts together:
// - `Runner` is the port to the runner's files, `Change` reads its event: base, trusted commit, whether it is a fork.
// - Here: reviewing each level in a strict run of its own, which stops at the first that could not be reviewed; what
//   fails a job; and what is read from the runs for the report.
// - `Summary` writes the texts, `Comments` puts the comment in place of the one before.
//
// In doubt the change is a stranger's: its text is fenced, a head from an unknown repository counts as a fork, and only
// a comment of the expected author is replaced, since anybody can write our marker. Whatever cannot be reported fails
// the step, so that no job passes because of a lost report.
import { Effect, Schema } from "effect"
import { EventLog } from "../log/EventLog.ts"
import type { RunRef } from "../log/Refs.ts"
import { recovered } from "../platform/Note.ts"
import { findings } from "../read/Findings.ts"
import { report } from "../read/report/Report.ts"
import { page } from "../read/report/page/Page.ts"
import type { FindingsReport } from "../review/findings/Report.ts"
import { weightOf } from "../review/findings/Waiving.ts"
import { slotsOf, type StartedBatch } from "../run/Batch.ts"
import { identityText } from "../run/Identity.ts"
import type { Level } from "../run/Level.ts"
import type { Outcome } from "../run/Outcome.ts"
import { batchesOf, reviewRun } from "../run/ReviewRun.ts"
import type { Run } from "../run/Run.ts"
import type { Settings } from "../run/Settings.ts"
import { loopStep } from "../step/LoopStep.ts"
import { failedResult, type StepResult } from "../step/StepResult.ts"

/** What fails a job: nothing, a review that could not be done, any finding, or findings of this priority or above. */
export const FailOn = Schema.Literals(["never", "error", "findings", "P0", "P1", "P2", "P3"])
export type FailOn = typeof FailOn.Type

const least = { findings: 3, P0: 0, P1: 1, P2: 2, P3: 3 } as const

/** How many findings are not dismissed, and reviews with issues that list no finding. */
export const openFindings = (reports: ReadonlyArray<FindingsReport>): number =>
  reports.reduce(
    (sum, { batch, findings }) =>
      sum + findings.filter(({ dismissed }) => dismissed === null).length + batch.unlisted.length + batch.dropped,
    0
  )

/** Whether a job fails. A finding without a priority, a dropped finding, or a review without a list weighs the most. */
export const fails = (failOn: FailOn, reports: ReadonlyArray<FindingsReport>, isDone: boolean): boolean => {
  if (failOn === "never") return false
  if (!isDone) return true
  if (failOn === "error") return false
  return reports.some(({ batch, findings }) =>
    batch.unlisted.length > 0 || batch.dropped > 0 ||
    findings.some(({ dismissed, finding }) => dismissed === null && weightOf(finding) <= least[failOn])
  )
}

// One batch of reviews for each level, without edits between them

/** Whether an outcome says that a level was reviewed, whatever was found. */
export const isReviewed = (outcome: Outcome): boolean =>
  outcome._tag === "DoneFixedPoint" || (outcome._tag === "HandoffAgent" && outcome.action === "AddressBatch")

/** Reviews at each of the levels, in their order, until one could not be reviewed. */
export const reviewLevels = Effect.fn("Review.reviewLevels")(
  function*(settings: Settings, levels: ReadonlyArray<Level>, cwd: string) {
    const results: Array<StepResult> = []
    for (const level of levels) {
      const result = yield* loopStep({ ...settings, floor: level, ceiling: level }, true, cwd).pipe(
        Effect.catch((failure) => Effect.succeed(failedResult(failure)))
      )
      results.push(result)
      if (!isReviewed(result.outcome)) break
    }
    return results
  }
)

/** The result of a batch and its level. */
export interface PathStep {
  readonly level: Level
  readonly verdict: "clean" | "issues" | "failed" | "unfinished"
}

const verdictOf = (batch: StartedBatch): PathStep["verdict"] => {
  if (slotsOf(batch, "Failed").length > 0) return "failed"
  const finished = slotsOf(batch, "Finished")
  if (finished.length < batch.size) return "unfinished"
  return finished.every(({ verdict }) => verdict === "Clean") ? "clean" : "issues"
}

/** The batches of a run in their order. */
export const pathOf = Effect.fn("Review.pathOf")(function*(run: RunRef) {
  const { commits } = yield* (yield* EventLog).read(reviewRun, run)
  return batchesOf(commits).map(({ batch, level }): PathStep => ({ level, verdict: verdictOf(batch) }))
})

/** What the reviewers of a run's last batch saw, in words; null for a run without a batch. */
export const codeOf = ({ manifest: { batch } }: Run): string | null =>
  batch._tag === "NotStarted" ? null : identityText(batch.completed ?? batch.identity)

/** The findings of a run's last batch; null if it has none that can be listed. */
export const findingsOf = (run: RunRef, trustFrom: string | null) =>
  findings(run, { trustFrom }).pipe(
    Effect.tapError(recovered("the job reports no findings of this run")),
    Effect.catchTag("NoFindings", () => Effect.succeed(null))
  )

/** The page about a run. */
export const pageOf = (run: RunRef) => Effect.map(report(run), page)
