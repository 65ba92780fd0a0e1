// DecodeReview: the three ways in which codex reads a review.
import { assert, describe, it } from "vitest"
import { decodeReview } from "../../../../src/core/verdict/DecodeReview.ts"

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
})
