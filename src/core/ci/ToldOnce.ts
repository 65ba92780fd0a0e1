// ToldOnce: the findings of several reviews of the same code, each told once.
import { namesOf } from "../findings/FindingHistory.ts"
import type { FindingsReport } from "../findings/FindingsReport.ts"

/** The reports without the findings that an earlier one of them has, by any name under which it was reported. */
export const toldOnce = (reports: ReadonlyArray<FindingsReport>): ReadonlyArray<FindingsReport> => {
  const told = new Set<string>()
  return reports.map((report) => {
    const findings = report.findings.filter(({ finding }) => !namesOf(finding).some((name) => told.has(name)))
    for (const { finding } of report.findings) for (const name of namesOf(finding)) told.add(name)
    return { ...report, findings }
  })
}
