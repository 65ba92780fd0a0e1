// Verdict: laws of the classifier that hold for any text a reviewer could have printed.
// The one rule: texts are built from the words of reviews as well as from noise, so that the rules are really reached.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { notShown } from "../src/core/verdict/Reading.ts"
import { chooseVerdict } from "../src/core/verdict/ChooseVerdict.ts"
import { failureFrom } from "../src/core/verdict/Failure.ts"
import { renderFindings } from "../src/core/verdict/RenderedFindings.ts"
import { hasBanner, markedBody, sessionId } from "../src/core/verdict/Transcript.ts"
import { classifyBody, classifyReviewOutput, type Verdict } from "../src/core/verdict/Verdict.ts"
import { bodies } from "../test/unit/core/verdict/corpus.ts"

const phrase = fc.constantFrom(
  "I did not find any issues",
  "the diff could not be read",
  "the parser crashes",
  "however",
  "No",
  "without",
  "[P1]",
  "- ",
  "Review comment:",
  "Findings:",
  "`x`",
  "(",
  ")",
  "\n\n",
  ". ",
  '{"findings":[',
  "]}",
  '"title":"a"',
  "ERROR: ",
  "codex",
  "\u001b[31m",
  "\u202e",
  "::error::",
  "— a.ts:1-2",
  "OpenAI Codex v1",
  "問題",
  "```",
  "nothing to review",
  "|"
)
const whole = fc.constantFrom(...bodies.map(({ text }) => text))
const text = fc.array(fc.oneof(phrase, fc.string({ unit: "binary", maxLength: 20 }), whole), { maxLength: 12 })
  .map((parts) => parts.join(" "))

const rank: Readonly<Record<Verdict["_tag"], number>> = { Clean: 0, HasIssues: 1, NoReview: 1 }

describe("classifyBody", () => {
  it("answers any text, always the same, and lists findings only with issues", () =>
    fc.assert(fc.property(text, (body) => {
      const verdict = classifyBody(body)
      assert.deepStrictEqual(classifyBody(body), verdict)
      assert.match(verdict.reason, /^[a-z]+(?:-[a-z]+)*$/)
      if (verdict._tag !== "HasIssues") assert.lengthOf(verdict.findings, 0)
    })))

  it("finds issues in any text with a rendered finding behind it", () =>
    fc.assert(fc.property(text, fc.constantFrom("Guard against null", "x", "No issues"), (body, title) => {
      const finding = { title, body: "b", priority: null, place: { path: "a.ts", lines: { start: 1, end: 1 } } }
      const verdict = classifyBody(`${body}\n\n${renderFindings([finding])}`)
      assert.strictEqual(verdict._tag, "HasIssues")
      assert.deepInclude(verdict.findings.at(-1), { title })
    })))

  it("is never made clean by a finding's line or a confession added to it", () =>
    fc.assert(
      fc.property(text, fc.constantFrom("- [P2] Reset the counter", "I could not access the diff."), (body, line) => {
        assert.isAbove(rank[classifyBody(`${body}\n\n${line}`)._tag], 0)
      })
    ))

  it("does not depend on colour, direction marks or line ends", () =>
    fc.assert(fc.property(whole, (body) => {
      const dressed = `\u001b[1m${body.replaceAll("\n", "\r\n").replaceAll(" ", " \u200b")}\u001b[0m`
      assert.strictEqual(classifyBody(dressed)._tag, classifyBody(body)._tag)
    })))
})

describe("the other readers of transcripts", () => {
  it("answer any text", () =>
    fc.assert(fc.property(text, text, (one, other) => {
      failureFrom(one)
      hasBanner(one)
      const id = sessionId(one)
      if (id !== null) assert.match(id, /^[0-9a-f-]{36}$/)
      const body = markedBody(one)
      if (body !== null) assert.isTrue(one.includes(body))
      chooseVerdict({ session: { _tag: "Absent" }, out: one, logHead: other, logTail: other, reading: notShown })
    })))

  it("answer any review output", () =>
    fc.assert(fc.property(fc.jsonValue(), fc.option(text), (output, body) => {
      const { verdict } = classifyReviewOutput(output, body)
      assert.include(["Clean", "HasIssues", "NoReview"], verdict._tag)
    })))

  it("never call a review with findings anything but issues", () =>
    fc.assert(fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 3 }), text, (findings, explanation) => {
      const output = { findings, overall_correctness: "patch is correct", overall_explanation: explanation }
      assert.strictEqual(classifyReviewOutput(output, null).verdict._tag, "HasIssues")
      assert.strictEqual(classifyBody(JSON.stringify(output))._tag, "HasIssues")
    })))
})
