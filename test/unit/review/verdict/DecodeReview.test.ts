// DecodeReview: the three ways in which codex reads a review.
import { assert, describe, it } from "vitest"
import { decodeReview } from "../../../../src/review/verdict/ReviewBody.ts"

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
    "takes %j for text",
    (text) =>
      assert.deepStrictEqual(decodeReview(text), {
        tier: "text",
        findings: [],
        correctness: "unknown",
        explanation: text
      })
  )

  it("reads a text behind a byte order mark strictly", () =>
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

  it("keeps an issue that is a text or nothing known", () =>
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
