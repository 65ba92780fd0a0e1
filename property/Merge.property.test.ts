// Merge: merging is the union of what reviewers reported: associative, commutative, idempotent, and it loses nothing.
// Titles and places are drawn from few values, so that findings really meet.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Finding, findingOf, priorityFrom } from "../src/review/findings/Finding.ts"
import { mergeFindings } from "../src/review/findings/Merge.ts"

const finding: fc.Arbitrary<Finding> = fc.record({
  title: fc.constantFrom(
    "Guard null user",
    "Guard against null",
    "Null user guard missing",
    "Avoid quadratic loop",
    "x",
    ""
  ),
  body: fc.constantFrom("", "a", "Some words."),
  priority: fc.option(fc.nat(3)).map(priorityFrom),
  path: fc.constantFrom("a.ts", "b.ts", "../x"),
  start: fc.option(fc.integer({ min: 1, max: 12 })),
  slot: fc.integer({ min: 1, max: 4 })
}).map(({ body, path, priority, slot, start, title }) =>
  findingOf(
    { title, body, priority, place: { path, lines: start === null ? null : { start, end: start + 1 } } },
    slot,
    "/r"
  )
)
const list = fc.array(finding, { maxLength: 8 })

const reports = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  [...new Set(findings.flatMap((one) => one.reports).map((report) => JSON.stringify(report)))].sort()

describe("mergeFindings", () => {
  it("does not depend on order or grouping", () =>
    fc.assert(fc.property(list, list, list, (a, b, c) => {
      const all = mergeFindings(a, b, c)
      assert.deepStrictEqual(mergeFindings(c, a, b), all)
      assert.deepStrictEqual(mergeFindings(mergeFindings(a, b), c), all)
      assert.deepStrictEqual(mergeFindings(a, mergeFindings(b, c)), all)
    })))

  it("changes nothing the second time", () =>
    fc.assert(fc.property(list, (a) => {
      const once = mergeFindings(a)
      assert.deepStrictEqual(mergeFindings(once), once)
      assert.deepStrictEqual(mergeFindings(once, a), once)
    })))

  it("keeps every report, and says who made it", () =>
    fc.assert(fc.property(list, list, (a, b) => {
      const merged = mergeFindings(a, b)
      assert.deepStrictEqual(reports(merged), reports([...a, ...b]))
      for (const one of merged) {
        assert.deepStrictEqual(one.detectedBy, [...new Set(one.reports.map((report) => report.slot))].sort())
        assert.isTrue(one.reports.every((report) => report.path === one.path))
      }
    })))

  it("names as related only findings that are there", () =>
    fc.assert(fc.property(list, (a) => {
      const merged = mergeFindings(a)
      const names = new Set(merged.map((one) => one.fingerprint))
      for (const one of merged) assert.isTrue(one.related.every((name) => names.has(name)))
    })))
})
