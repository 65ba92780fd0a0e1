// The data of a report: plain values, so that whoever embeds the program can keep them as JSON.
import { assert, it } from "vitest"
import type { ReportData } from "../../../../src/read/report/ReportData.ts"
import { largeReport, reportOf } from "./reports.ts"

it("is JSON", () => {
  const data: ReportData = reportOf("said")
  assert.deepStrictEqual(JSON.parse(JSON.stringify(data)), data)
})

it("can be as large as a long run", () => {
  const { findings, path } = largeReport(1000, 10_000)
  assert.deepStrictEqual([path?.batches.length, findings?.findings.length], [1000, 10_000])
})
