// ReviewBody: the shape of a reviewer's last text, by structure alone, and codex's own rendering of findings.
import { assert, describe, it } from "vitest"
import { decodeReview, parseBody, parseRendered, renderFindings } from "../../../../src/review/verdict/ReviewBody.ts"

const rendered = "Review comment:\n\n- [P1] Guard — a.ts:1-1\n  May be null."
const json = JSON.stringify({ findings: [], overall_correctness: "patch is correct", overall_explanation: "Fine." })

describe("parseBody", () => {
  it.each([
    ["", "Empty"],
    [" \n", "Empty"],
    ["Reviewer failed to output a response.\n", "FixedSentence"],
    ["Review was interrupted. Please re-run /review and wait for it to complete.", "FixedSentence"],
    ["Reviewer failed to output a response.\nIt will be tried again.", "Prose"],
    [`x\n\n${rendered}`, "Rendered"],
    [json, "Json"],
    ['{"state": "ok"}', "Unknown"],
    ['```json\n{"cut": ', "Unknown"],
    ['[{"title": "a"}]', "Unknown"],
    ['{"findings": [{"title": "cut', "Broken"],
    ["No issues.", "Prose"]
  ])("%j is %s", (body, tag) => assert.strictEqual(parseBody(body)._tag, tag))

  it("takes codex's rendering before an object next to it", () =>
    assert.strictEqual(parseBody(`${json}\n\n${rendered}`)._tag, "Rendered"))

  it("keeps the prose around an object, and all of a text without structure", () => {
    assert.deepInclude(parseBody(`Before.\n${json}\nAfter.`), { around: "Before.\n\n\nAfter." })
    assert.deepStrictEqual(parseBody(" No issues.\n"), { _tag: "Prose", text: " No issues.\n" })
  })

  it("distinguishes a broken object with an empty list from one whose list cannot be read", () => {
    assert.deepInclude(parseBody('{"findings": [], "overall_corr'), { _tag: "Broken", listEmpty: true })
    assert.deepInclude(parseBody('{"findings": [{"body": "a "b" c"}]}'), { _tag: "Broken", listEmpty: false })
  })
})

describe("findings as codex renders them", () => {
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

    it("splits the place at the last dash", () =>
      assert.deepStrictEqual(titles("Review comment:\n\n- A — B — a.ts:1-1"), ["A — B"]))

    it("accepts an en dash and two hyphens too", () =>
      assert.deepStrictEqual(
        parseRendered("Full review comments:\n\n- A – a.ts:1-1\n- B -- b.ts:2-2")?.findings.map(({ place }) =>
          place?.path
        ),
        ["a.ts", "b.ts"]
      ))

    it("reads a body after blank lines", () =>
      assert.deepStrictEqual(
        parseRendered("Review comment:\n\n- A — a.ts:1-1\n  One.\n\n  Two.\n")?.findings[0]?.body,
        "One.\n\nTwo."
      ))

    it("reads a denial beside prose as no finding", () =>
      assert.deepStrictEqual(parseRendered("Review comment:\n\n- No findings.\n\nBut see the log."), {
        prose: "But see the log.",
        findings: []
      }))

    it("does not read an indented bullet as a finding", () =>
      assert.deepStrictEqual(titles("Review comment:\n\n- [P1] A — a.ts:1-1\n  - [P0] inner\n  - b — c.ts:1-1"), ["A"]))

    it("keeps a finding without a place, and one with only a place", () =>
      assert.deepStrictEqual(titles("Full review comments:\n\n- Only words\n\n-  — a.ts:1-1"), ["Only words", ""]))

    it("reads CRLF", () =>
      assert.deepStrictEqual(
        parseRendered("x\r\n\r\nReview comment:\r\n\r\n- [P1] A — a.ts:1-2\r\n  Body.\r\n  More.\r\n")?.findings[0]
          ?.body,
        "Body.\nMore."
      ))

    it("keeps prose in the first column after the findings", () =>
      assert.strictEqual(
        parseRendered("Review comment:\n\n- A — a.ts:1-1\n  Body.\nThat is all.")?.prose,
        "That is all."
      ))

    it("is null without the header, or if only a denial follows it", () => {
      assert.isNull(parseRendered("- [P1] A — a.ts:1-1"))
      assert.isNull(parseRendered("  Review comment:\n- A — a.ts:1-1"))
      assert.isNull(parseRendered("Review comment:"))
      assert.isNull(parseRendered("Full review comments:\n\n- None."))
    })

    it("reads a header with prose after it as unlisted findings", () =>
      assert.deepStrictEqual(titles("Full review comments:\n\nThe loop never ends."), []))
  })

  it("announces one finding and several findings differently", () => {
    const [one, another] = parseRendered(two)?.findings ?? []
    if (one === undefined || another === undefined) throw new Error("two findings")
    assert.match(renderFindings([one]), /^Review comment:\n\n- \[P1\] /)
    assert.match(renderFindings([one, another]), /^Full review comments:\n\n- \[P1\] /)
  })
})

describe("the three ways in which codex reads a review", () => {
  const finding = {
    title: "[P1] Guard against null",
    body: "It may be null.",
    priority: 1,
    code_location: { absolute_file_path: "/r/a.ts", line_range: { start: 3, end: 4 } }
  }
  const json = JSON.stringify({
    findings: [finding],
    overall_correctness: "patch is incorrect",
    overall_explanation: "One."
  })

  describe("decodeReview", () => {
    it.each([["strict" as const, ` ${json}\n`], [
      "substring" as const,
      `Here it is:\n\`\`\`json\n${json}\n\`\`\`\nDone.`
    ]])(
      "reads %s",
      (tier, text) => {
        const review = decodeReview(text)
        assert.deepInclude(review, { tier, correctness: "incorrect", explanation: "One." })
        assert.deepInclude(review.findings[0], { title: "Guard against null", priority: 1, body: "It may be null." })
      }
    )

    it.each(["", "No issues found.", "{", "}{", "{} and {}", "[]", '{"findings": 1}'])(
      "reads %j as text",
      (text) =>
        assert.deepStrictEqual(decodeReview(text), {
          tier: "text",
          findings: [],
          correctness: "unknown",
          explanation: text
        })
    )

    it("reads a text after a byte order mark strictly", () =>
      assert.strictEqual(decodeReview(`\ufeff${json}`).tier, "strict"))
  })

  describe("a review of a plan's work", () => {
    const issue = {
      severity: "major",
      title: "Null",
      description: "It may be null.",
      suggestion: "Guard.",
      place: "a.ts:3"
    }
    const review = (...severities: ReadonlyArray<string>) => ({
      issues: severities.map((severity) => ({ ...issue, severity })),
      verdict: "NEEDS_FIXES"
    })

    it("has its issues as findings", () => {
      const { correctness, findings, tier } = decodeReview(JSON.stringify(review("major")))
      assert.deepStrictEqual([tier, correctness], ["strict", "incorrect"])
      assert.deepStrictEqual(findings, [{
        title: "Null",
        body: "It may be null.\n\nGuard.",
        priority: 1,
        place: { path: "a.ts", lines: { start: 3, end: 3 } }
      }])
      assert.deepStrictEqual(
        decodeReview(JSON.stringify(review("critical", "MAJOR", "minor", "info", "odd"))).findings.map(({ priority }) =>
          priority
        ),
        [0, 1, 2, 3, null]
      )
      const place = { path: "b.ts", line: 4 }
      assert.deepStrictEqual(
        decodeReview(JSON.stringify({ issues: [{ ...issue, place }], verdict: "x" })).findings[0]?.place,
        {
          path: "b.ts",
          lines: { start: 4, end: 4 }
        }
      )
    })

    it("keeps an issue that is a text or has an unknown form", () =>
      assert.strictEqual(decodeReview('{"issues":["Null",7],"verdict":"NEEDS_FIXES"}').findings.length, 2))

    it.each([
      ['{"issues":[],"verdict":"ACCEPTABLE"}', "correct"],
      ['{"findings":[],"verdict":"ACCEPTABLE"}', "correct"],
      ['{"issues":[],"verdict":"acceptable"}', "correct"],
      ['{"issues":[],"verdict":"NEEDS_FIXES"}', "incorrect"],
      ['{"issues":[],"verdict":"NOT ACCEPTABLE"}', "incorrect"],
      ['{"issues":[],"verdict":"ACCEPTABLE","overall_correctness":"patch is incorrect"}', "incorrect"],
      ['{"issues":[],"verdict":7}', "incorrect"],
      ['{"issues":[],"verdict":""}', "unknown"]
    ])("%s is %s", (text, correctness) => {
      for (const [tier, whole] of [["strict", text], ["substring", `Here: ${text}`]] as const) {
        const { correctness: said, explanation, findings, tier: read } = decodeReview(whole)
        assert.deepStrictEqual([read, findings, said, explanation], [tier, [], correctness, ""])
      }
    })

    it.each(['{"issues":[]}', '{"issues":7,"verdict":"ACCEPTABLE"}', '{"verdict":"ACCEPTABLE"}'])(
      "is not %s",
      (text) => assert.strictEqual(decodeReview(text).tier, "text")
    )
  })
})
