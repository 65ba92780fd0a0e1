// Merge: one defect seen by several reviewers is one finding; similar neighbours stay separate.
// Expectations name slots and titles, never the order of reviews.
import { assert, describe, it } from "vitest"
import { findingOf } from "../../../../src/review/findings/Finding.ts"
import { mergeFindings } from "../../../../src/review/findings/Merge.ts"

const seen = (
  slot: number,
  title: string,
  lines: readonly [number, number] | null = [10, 12],
  rest: { readonly path?: string; readonly priority?: 0 | 1 | 2 | 3; readonly body?: string } = {}
) =>
  findingOf(
    {
      title,
      body: rest.body ?? "",
      priority: rest.priority ?? null,
      place: { path: rest.path ?? "src/a.ts", lines: lines === null ? null : { start: lines[0], end: lines[1] } }
    },
    slot,
    "/r"
  )

const brief = (findings: ReadonlyArray<ReturnType<typeof seen>>) =>
  mergeFindings(findings).map((finding) => `${finding.title} by ${finding.detectedBy.join(",")}`)

describe("mergeFindings", () => {
  it("merges the same words at the same place", () =>
    assert.deepStrictEqual(brief([seen(3, "Guard against null user"), seen(1, "Guard against null user")]), [
      "Guard against null user by 1,3"
    ]))

  it("merges similar words if the places touch", () =>
    assert.lengthOf(brief([seen(1, "Guard against null user"), seen(2, "Handle null user in guard", [14, 14])]), 1))

  it("treats places up to three lines apart as one", () => {
    assert.lengthOf(brief([seen(1, "Missing await", [10, 12]), seen(2, "Missing await", [15, 15])]), 1)
    assert.lengthOf(brief([seen(1, "Missing await", [10, 12]), seen(2, "Missing await", [16, 16])]), 2)
  })

  it("separates titles that share only a word or two", () =>
    assert.lengthOf(brief([seen(1, "Guard against null user"), seen(2, "Guard the loop counter")]), 2))

  it("separates different words at one place, and marks them as neighbours", () => {
    const [first, second] = mergeFindings([seen(1, "Guard against null user"), seen(2, "Avoid the quadratic loop")])
    assert.deepStrictEqual(first?.related, [second?.fingerprint ?? ""])
    assert.deepStrictEqual(second?.related, [first?.fingerprint ?? ""])
    assert.deepStrictEqual([first?.detectedBy, second?.detectedBy], [[2], [1]])
  })

  it("separates similar words that are far apart, in other files, or by one reviewer", () => {
    assert.lengthOf(brief([seen(1, "Missing await", [10, 10]), seen(2, "Missing await", [90, 90])]), 2)
    assert.lengthOf(brief([seen(1, "Missing await"), seen(2, "Missing await", [10, 12], { path: "b.ts" })]), 2)
    assert.lengthOf(brief([seen(1, "Missing await", [10, 10]), seen(1, "Missing await", [12, 12])]), 2)
  })

  it("relates equal fingerprints that are far apart", () => {
    const [first, second] = mergeFindings([seen(1, "Missing await", [10, 10]), seen(2, "Missing await", [90, 90])])
    assert.strictEqual(first?.fingerprint, second?.fingerprint)
    assert.deepStrictEqual(first?.related, [second?.fingerprint ?? ""])
  })

  it("uses only words if there are no lines", () => {
    assert.lengthOf(brief([seen(1, "Missing await", null), seen(2, "Missing await", null)]), 1)
    assert.lengthOf(brief([seen(1, "Missing await", null), seen(2, "Missing await", [3, 3])]), 2)
  })

  it("shows the gravest, then the longest report, and keeps all reports", () => {
    const [merged] = mergeFindings([
      seen(1, "Guard null user", [10, 12], { priority: 2, body: "A long explanation." }),
      seen(2, "Guard null user", [11, 11], { priority: 1, body: "Short." }),
      seen(3, "Guard null user", [10, 10], { priority: 1, body: "Somewhat longer." })
    ])
    assert.deepInclude(merged, { priority: 1, body: "Somewhat longer.", detectedBy: [1, 2, 3] })
    assert.deepStrictEqual(merged?.reports.map((report) => report.slot), [3, 2, 1])
  })

  it("sorts by priority, then by place", () =>
    assert.deepStrictEqual(
      brief([
        seen(1, "Later", [50, 50], { priority: 1 }),
        seen(1, "Unknown", [1, 1]),
        seen(1, "Sooner", [5, 5], { priority: 1 }),
        seen(1, "Gravest", [99, 99], { priority: 0 })
      ]),
      ["Gravest by 1", "Sooner by 1", "Later by 1", "Unknown by 1"]
    ))

  it("gives nothing for nothing", () => assert.deepStrictEqual(mergeFindings(), []))
})
