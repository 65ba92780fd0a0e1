// Finding: priorities and degrees, what one slot wrote as a finding, agreement.
import { assert, describe, it } from "vitest"
import { agreement, findingOf, severityOf, splitTag, type RawFinding } from "../../../../src/review/findings/Finding.ts"

const written = (title: string, path: string | null, start = 1): RawFinding => ({
  title,
  body: "Some words.",
  priority: null,
  place: path === null ? null : { path, lines: { start, end: start + 2 } }
})

describe("splitTag", () => {
  it.each([
    ["[P1] Guard against null", 1, "Guard against null"],
    ["[p0]: Guard", 0, "Guard"],
    ["**[P2]** Guard", 2, "Guard"],
    ["P3: Guard", 3, "Guard"],
    ["Guard [P1] later", null, "Guard [P1] later"],
    ["[P4] Guard", null, "[P4] Guard"],
    ["P12 handling", null, "P12 handling"],
    ["", null, ""]
  ])("%j has priority %j", (text, priority, title) => assert.deepStrictEqual(splitTag(text), { title, priority }))
})

describe("severityOf", () => {
  it("is the degree of a priority, and a warning without one", () =>
    assert.deepStrictEqual(([0, 1, 2, 3, null] as const).map((priority) => severityOf({ priority })), [
      "error",
      "error",
      "warning",
      "note",
      "warning"
    ]))
})

describe("agreement", () => {
  it("counts the finished reviewers that saw it", () => {
    const finding = { ...findingOf(written("Guard", "a.ts"), 2, "/r"), detectedBy: [1, 2, 5] }
    assert.deepStrictEqual(agreement(finding, [1, 2, 3, 3]), { found: 2, of: 3 })
  })
})

describe("findingOf", () => {
  it("drops a place outside the root, and its lines with it", () => {
    const finding = findingOf(written("Guard", "/elsewhere/a.ts"), 1, "/r")
    assert.isNull(finding.path)
    assert.isNull(finding.lines)
    assert.deepStrictEqual(finding.detectedBy, [1])
  })
})
