// FailOn: whether a job fails by what a review found or could not do.
import { Schema } from "effect"
import type { FindingsReport } from "../findings/FindingsReport.ts"
import { weightOf } from "../findings/Waiving.ts"

/** What fails a job: nothing, a review that could not be done, any finding, or one of this priority or a graver one. */
export const FailOn = Schema.Literals(["never", "error", "findings", "P0", "P1", "P2", "P3"])
export type FailOn = typeof FailOn.Type

const least = { findings: 3, P0: 0, P1: 1, P2: 2, P3: 3 } as const

/** How many findings nobody has dismissed, and reviews with issues that list none. */
export const openFindings = (reports: ReadonlyArray<FindingsReport>): number =>
  reports.reduce(
    (sum, { batch, findings }) =>
      sum + findings.filter(({ dismissed }) => dismissed === null).length + batch.unlisted.length + batch.dropped,
    0
  )

/** Whether a job fails. A finding without a priority or not kept, or a review without a list, weighs as much as any. */
export const fails = (failOn: FailOn, reports: ReadonlyArray<FindingsReport>, isDone: boolean): boolean => {
  if (failOn === "never") return false
  if (!isDone) return true
  if (failOn === "error") return false
  return reports.some(({ batch, findings }) =>
    batch.unlisted.length > 0 || batch.dropped > 0 ||
    findings.some(({ dismissed, finding }) => dismissed === null && weightOf(finding) <= least[failOn])
  )
}
