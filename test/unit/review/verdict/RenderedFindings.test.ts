// RenderedFindings: codex's rendering, as it prints it and as models imitate it.
// The one rule: a body that has the header never loses a finding for the oddity of another.
import { assert, describe, it } from "vitest"
import { parseRendered, renderFindings } from "../../../../src/review/verdict/ReviewBody.ts"

const two = `The patch has two problems.

Full review comments:

- [P1] Guard against null user — /repo/a.txt:1-1
  \`user\` may be null here, which crashes.

- [P2] Avoid quadratic loop — /repo/a.txt:2-5
  The loop is quadratic.
  Second line of the body.
  
  Third after blank.
`

const titles = (text: string) => parseRendered(text)?.findings.map((finding) => finding.title)

describe("parseRendered", () => {
  it("reads explanation, titles, priorities, places and bodies", () =>
    assert.deepStrictEqual(parseRendered(two), {
      prose: "The patch has two problems.",
      findings: [
        {
          title: "Guard against null user",
          body: "`user` may be null here, which crashes.",
          priority: 1,
          place: { path: "/repo/a.txt", lines: { start: 1, end: 1 } }
        },
        {
          title: "Avoid quadratic loop",
          body: "The loop is quadratic.\nSecond line of the body.\n\nThird after blank.",
          priority: 2,
          place: { path: "/repo/a.txt", lines: { start: 2, end: 5 } }
        }
      ]
    }))

  it("reads one finding without explanation or tag", () => {
    const parsed = parseRendered("Review comment:\n\n- Guard — a.ts:3-3\n  Body.")
    assert.strictEqual(parsed?.prose, "")
    assert.deepInclude(parsed?.findings[0], { title: "Guard", priority: null, body: "Body." })
  })

  it("joins a title over several lines, up to its place", () =>
    assert.deepStrictEqual(titles("Review comment:\n\n- [P1] First line\nsecond line — a.ts:1-1\n  Body."), [
      "First line second line"
    ]))

  it("takes the last dash for the place's", () =>
    assert.deepStrictEqual(titles("Review comment:\n\n- A — B — a.ts:1-1"), ["A — B"]))

  it("takes an en dash and two hyphens for the place's, too", () =>
    assert.deepStrictEqual(
      parseRendered("Full review comments:\n\n- A – a.ts:1-1\n- B -- b.ts:2-2")?.findings.map(({ place }) =>
        place?.path
      ),
      ["a.ts", "b.ts"]
    ))

  it("reads a body on behind blank lines", () =>
    assert.deepStrictEqual(
      parseRendered("Review comment:\n\n- A — a.ts:1-1\n  One.\n\n  Two.\n")?.findings[0]?.body,
      "One.\n\nTwo."
    ))

  it("takes a denial beside prose for no finding", () =>
    assert.deepStrictEqual(parseRendered("Review comment:\n\n- No findings.\n\nBut see the log."), {
      prose: "But see the log.",
      findings: []
    }))

  it("does not take an indented bullet for a finding", () =>
    assert.deepStrictEqual(titles("Review comment:\n\n- [P1] A — a.ts:1-1\n  - [P0] inner\n  - b — c.ts:1-1"), ["A"]))

  it("keeps a finding without a place, and one with nothing but a place", () =>
    assert.deepStrictEqual(titles("Full review comments:\n\n- Only words\n\n-  — a.ts:1-1"), ["Only words", ""]))

  it("reads CRLF", () =>
    assert.deepStrictEqual(
      parseRendered("x\r\n\r\nReview comment:\r\n\r\n- [P1] A — a.ts:1-2\r\n  Body.\r\n  More.\r\n")?.findings[0]?.body,
      "Body.\nMore."
    ))

  it("keeps prose of the first column behind the findings", () =>
    assert.strictEqual(
      parseRendered("Review comment:\n\n- A — a.ts:1-1\n  Body.\nThat is all.")?.prose,
      "That is all."
    ))

  it("is null without the header, or when nothing but a denial follows it", () => {
    assert.isNull(parseRendered("- [P1] A — a.ts:1-1"))
    assert.isNull(parseRendered("  Review comment:\n- A — a.ts:1-1"))
    assert.isNull(parseRendered("Review comment:"))
    assert.isNull(parseRendered("Full review comments:\n\n- None."))
  })

  it("counts a header with prose behind it as findings unseen", () =>
    assert.deepStrictEqual(titles("Full review comments:\n\nThe loop never ends."), []))
})

describe("renderFindings", () => {
  it("prints what codex prints", () => {
    const findings = parseRendered(two)?.findings ?? []
    assert.strictEqual(
      renderFindings(findings),
      two.slice(two.indexOf("Full")).trimEnd()
    )
  })
  it("announces one as one, and several as several", () => {
    const [one, another] = parseRendered(two)?.findings ?? []
    if (one === undefined || another === undefined) throw new Error("two findings")
    assert.match(renderFindings([one]), /^Review comment:\n\n- \[P1\] /)
    assert.match(renderFindings([one, another]), /^Full review comments:\n\n- \[P1\] /)
  })

  it("prints nothing for no findings", () => assert.strictEqual(renderFindings([]), ""))
})
