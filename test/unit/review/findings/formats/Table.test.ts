// FindingsTable: the findings of a batch for users.
// It is read as text; columns are separated by two spaces or more.
import { assert, describe, it } from "vitest"
import { findingsTable } from "../../../../../src/review/findings/formats/Table.ts"
import { batchOf, failed, report, running, wrote } from "../../../../support/reviewedBatches.ts"

const rows = (...batches: Parameters<typeof batchOf>[]): ReadonlyArray<string> =>
  findingsTable(report(...batches.map((of) => batchOf(...of)))).split("\n").slice(0, -1)
const cells = (row: string | undefined): ReadonlyArray<string> => (row ?? "").split(/ {2,}/)

describe("the table", () => {
  it("has a summary, a heading, and a line per finding", () => {
    const table = rows([1, [wrote(1), wrote(3), wrote(2, { priority: null, path: null, title: "Somewhere else" })]])
    assert.lengthOf(table, 5)
    assert.strictEqual(
      table[0],
      "low batch 1 of run 20260101T000000Z-000000000-p1: 3 of 3 reviews finished, 3 with issues; 2 findings (2 new)"
    )
    assert.deepStrictEqual(table.slice(1, 4).map(cells), [
      ["#", "PRIO", "STATE", "BY", "PLACE", "NEAR", "FINDING"],
      ["1", "P1", "new", "2/3", "src/a.ts:10-12", "-", "Guard a null user"],
      ["2", "-", "new", "1/3", "-", "-", "Somewhere else"]
    ])
    assert.strictEqual(table[4], "2 found by 3 reviewers, about 1 more expected, 0 to 6")
  })

  it("of a strict run has names of findings, so that they can be dismissed", () => {
    const strict = { ...report(batchOf(1, [wrote(1)])), strict: true }
    const [, heading, row] = findingsTable(strict).split("\n").map(cells)
    assert.deepStrictEqual([heading?.[6], row?.[6]], ["FINGERPRINT", wrote(1).fingerprint])
  })

  it("shows history and neighbours", () => {
    const gone = wrote(1, { title: "Close the socket", path: "c.ts" })
    const near = wrote(2, { title: "Avoid the quadratic loop", priority: 2 })
    assert.deepStrictEqual(rows([1, [wrote(1), gone]], [2, [wrote(1), near]]).slice(2, 5).map(cells), [
      ["1", "P1", "still there", "1/3", "src/a.ts:10-12", "2", "Guard a null user"],
      ["2", "P2", "new", "1/3", "src/a.ts:10-12", "1", "Avoid the quadratic loop"],
      ["-", "P1", "gone", "-", "c.ts:10-12", "-", "Close the socket"]
    ])
  })

  it("lists what it leaves out: reviews without a list, slots without a review, findings missing in this batch", () => {
    const table = rows([1, [wrote(1)]], [2, [], {
      unlisted: [{ slot: 1, reason: "x", body: "Bad." }],
      missing: [failed(2, "Quota:\nused\u001b[31m up"), running(3)]
    }])
    assert.deepStrictEqual(cells(table[2]).slice(0, 3), ["-", "P1", "not reported so far"])
    assert.deepStrictEqual(table.slice(3), [
      "slot 1: issues without a list of findings, in /state/run/levels/level-low/batch-2/low-1.out",
      "slot 2: no review: Quota:\\nused\\u001b[31m up",
      "slot 3: no review: still running"
    ])
  })

  it("is one line if there is nothing to show", () => assert.lengthOf(rows([1, []]), 1))

  it("cuts long places and titles to their columns", () => {
    const [, , row = ""] = rows([1, [wrote(1, { title: "t".repeat(1_000_000), path: `${"d/".repeat(500)}file.ts` })]])
    assert.isBelow(row.length, 220)
    assert.include(row, "d/file.ts:10-12")
  })
})
