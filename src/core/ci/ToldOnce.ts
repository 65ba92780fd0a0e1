// ToldOnce: the findings of several reviews of the same code, each told once.
// A finding is told again if it weighs more now, lies elsewhere in its file, or is no longer dismissed.
import { namesOf } from "../findings/FindingHistory.ts"
import type { FindingsReport, Reported } from "../findings/FindingsReport.ts"
import { inOnePlace } from "../findings/Merge.ts"
import { weightOf } from "../findings/Waiving.ts"

/** Whether what was told of one finding also says all that another one says. */
const says = (told: Reported, { dismissed, finding }: Reported): boolean =>
  weightOf(told.finding) <= weightOf(finding) && (told.dismissed === null || dismissed !== null) &&
  told.finding.reports.some((a) => finding.reports.some((b) => inOnePlace(a, b)))

/** The reports without the findings that an earlier one of them has, by any name under which it was reported. */
export const toldOnce = (reports: ReadonlyArray<FindingsReport>): ReadonlyArray<FindingsReport> => {
  const told = new Map<string, Array<Reported>>()
  return reports.map((report) => {
    const findings = report.findings.filter((one) =>
      !namesOf(one.finding).some((name) => told.get(name)?.some((before) => says(before, one)))
    )
    for (const one of findings) {
      for (const name of namesOf(one.finding)) told.set(name, [...told.get(name) ?? [], one])
    }
    return { ...report, findings }
  })
}
