// Verdict: laws of the classifier that hold for any text a reviewer could have printed.
// Texts are built from the words of reviews as well as from noise, so that the rules are really reached.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { notShown } from "../src/review/verdict/Reading.ts"
import { chooseVerdict, judge } from "../src/review/verdict/Judge.ts"
import { complaintOf, lastWords } from "../src/agent/CodexFailure.ts"
import { kindOf } from "../src/run/FailureKind.ts"
import { renderFindings } from "../src/review/verdict/ReviewBody.ts"
import { readBy, sessionReader, transcriptReader } from "../src/review/verdict/Reading.ts"
import { hasBanner, markedBody, sessionId } from "../src/review/verdict/Transcript.ts"
import { classifyBody, classifyReviewOutput, type Verdict } from "../src/review/verdict/Verdict.ts"
import { bodies } from "../test/support/reviewBodies.ts"

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
      kindOf(complaintOf(lastWords(one, false)))
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

const gravity = ({ findings, _tag }: Verdict): number =>
  findings.length > 0 ? 3 : _tag === "NoReview" ? 2 : _tag === "HasIssues" ? 1 : 0
const title = fc.constantFrom("[P1] Guard it", "Data loss", "x")
const structured = fc.record({
  findings: fc.array(fc.record({ title }), { maxLength: 2 }),
  overall_correctness: fc.constantFrom("patch is correct", "patch is incorrect", "correct", "0% correct"),
  overall_explanation: fc.oneof(fc.constant(""), whole)
})

describe("a structured review", () => {
  it("is not made cleaner by any text around it", () =>
    fc.assert(fc.property(structured, text, text, (review, before, behind) => {
      const alone = classifyBody(JSON.stringify(review))
      const around = classifyBody(`${before}\n${JSON.stringify(review)}\n${behind}`)
      // Text with braces of its own may keep the object from being found; it is clean all the same only if that is.
      if (alone._tag !== "Clean") assert.notStrictEqual(around._tag, "Clean")
    })))

  it("of a session is not made cleaner by anything that was printed", () =>
    fc.assert(fc.property(structured, text, (review, printed) => {
      const alone = classifyReviewOutput(review, null).verdict
      assert.isAtLeast(gravity(classifyReviewOutput(review, printed).verdict), gravity(alone))
    })))

  it("with a key twice is not clean, whichever value comes last", () =>
    fc.assert(fc.property(structured, structured, fc.constantFrom("findings", "overall_correctness"), (a, b, key) => {
      const body = `${JSON.stringify(a).slice(0, -1)},${JSON.stringify({ [key]: b[key] }).slice(1)}`
      assert.notStrictEqual(classifyBody(body)._tag, "Clean")
    })))
})

describe("a reviewer that read nothing", () => {
  // Whatever a command can print, but for a hunk or a whole block of codex's own, which shows that something was read.
  const printed = fc.array(
    fc.oneof(fc.constantFrom(" succeeded in 1ms:", "codex", "No issues found.", "Process exited with code 0"), text),
    { maxLength: 4 }
  ).map((lines) => lines.join("\n").split("\n").filter((line) => line !== "exec" && !line.startsWith("@@ ")))
  const failed = fc.record({ status: fc.integer({ min: 1, max: 255 }), printed })
  const banner =
    "OpenAI Codex v0.171.0\n--------\nsession id: 01a1f82b-a11c-7bc3-ae02-8032555061a0\n--------\nuser\nx\n"
  const of = (transcript: ReadonlyArray<string>) => {
    const reader = transcriptReader()
    transcript.forEach(reader.take)
    return reader.ran()
  }

  it("is never clean by a transcript whose commands all failed, whatever it says and they print", () =>
    fc.assert(fc.property(fc.array(failed, { minLength: 1, maxLength: 4 }), text, (commands, out) => {
      const lines = commands.flatMap(({ printed, status }) => [
        "exec",
        "/bin/bash -lc 'git diff' in /r",
        ` exited ${status} in 3ms:`,
        ...printed
      ])
      const reading = { session: null, transcript: of(lines) }
      const judged = judge({ session: { _tag: "Absent" }, out, logHead: banner, logTail: lines.join("\n"), reading }, 0)
      assert.isFalse(judged._tag === "Reviewed" && judged.verdict === "Clean")
    })))

  it("is never clean by a session whose commands all failed, whatever they print", () =>
    fc.assert(fc.property(fc.array(failed, { minLength: 1, maxLength: 4 }), fc.boolean(), (commands, items) => {
      const reader = sessionReader()
      commands.forEach(({ printed, status }, i) => {
        const id = `call_${i}`
        reader.take({ type: "function_call", name: "exec_command", arguments: "{}", call_id: id }, true)
        const output = `Chunk ID: 1\nProcess exited with code ${status}\nOutput:\n${printed.join("\n")}`
        reader.take({ type: "function_call_output", call_id: id, output }, true)
        const item = { type: "CommandExecution", id, exit_code: status, aggregated_output: printed.join("\n") }
        if (items) reader.take({ type: "item_completed", item }, true)
      })
      assert.strictEqual(readBy({ session: reader.ran(true), transcript: null }), "nothing")
    })))
})

describe("what a project prints", () => {
  it("changes no verdict: the review is what codex printed apart, and what its commands printed is not searched", () =>
    fc.assert(fc.property(whole, text, (out, printed) => {
      const banner = "OpenAI Codex v0.171.0\n--------\n"
      const of = (logTail: string) =>
        judge(
          { session: { _tag: "Absent" }, out, logHead: banner, logTail, reading: { session: null, transcript: null } },
          0
        )
      assert.deepStrictEqual(of(`${banner}exec\nx in /r\n succeeded in 1ms:\n${printed}\ncodex\n${out}`), of(banner))
    })))
})
