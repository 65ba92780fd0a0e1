// Analysis: laws of what a review leaves to fix, and of what an implementer claims, whatever agents answer.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { ReviewIssue } from "../../src/agent/PlanReview.ts"
import { analyse, issueWeighs, readAnalysis } from "../../src/drive/plan/Analysis.ts"
import { claims } from "../../src/drive/plan/Claims.ts"
import { nasty } from "../hostile.ts"

const words = [
  "the verdict is not parsed yet",
  "there is no loop of fixes",
  "it crashes for an empty file",
  "shell injection in the runner",
  "the runner has no flag"
]
const phrase = fc.oneof(fc.constantFrom(...words), nasty)
const issue: fc.Arbitrary<ReviewIssue> = fc.record({
  severity: fc.constantFrom("critical", "major", "minor", "info"),
  place: fc.constantFrom(null, "a.ts:1"),
  description: phrase,
  suggestion: fc.oneof({ weight: 4, arbitrary: fc.constant("do it") }, phrase)
})
const review = fc.record({
  issues: fc.array(issue, { maxLength: 3 }),
  text: fc.tuple(fc.array(phrase, { maxLength: 3 }), fc.constantFrom("", "\n\nVERDICT: NEEDS_FIXES"))
    .map(([parts, verdict]) => parts.join("\n") + verdict)
})
const tasks = fc.uniqueArray(
  fc.record({ index: fc.nat({ max: 4 }), title: phrase, description: phrase }),
  { maxLength: 3, selector: ({ index }) => index }
).map((tasks) => tasks.map((one) => ({ ...one, files: [], docs: [], steps: [] })))
const drop = fc.record({
  issue: fc.oneof(fc.constantFrom("1", "2", "3"), phrase),
  task: fc.nat({ max: 4 }),
  quote: phrase
})
const answer = fc.oneof(
  fc.record({
    needs_fixes: fc.boolean(),
    fix_instructions: fc.constantFrom("", "fix it", ...words),
    dropped: fc.array(drop, { maxLength: 4 })
  }).map((value) => JSON.stringify(value)),
  nasty,
  fc.constant(null)
)
const blanks = (text: string) => text.replace(/\s+/g, " ")

describe("an analysis", () => {
  it("drops nothing that weighs, nothing without a quote of a pending task, and never more than the review holds", () =>
    fc.assert(fc.property(review, tasks, answer, (review, pending, answer) => {
      const { dropped, instructions, needsFixes } = analyse({ review, pending, answer })
      for (const one of dropped) {
        const task = pending.find(({ index }) => index === one.task)
        assert.isDefined(task)
        assert.isAtLeast(one.quote.length, 12)
        // The words of these tests contain no character that is escaped when shown.
        if (words.includes(one.quote)) assert.include(blanks(`${task?.title}\n${task?.description}`), one.quote)
      }
      assert.isAtMost(dropped.length, answer === null ? 0 : 4)
      const heavy = review.issues.filter((one) => one.severity !== "info" && issueWeighs(one))
      if (heavy.length > 0) assert.isTrue(needsFixes)
      const open = review.issues.filter(({ severity }) => severity !== "info").length
      if (open > dropped.length) assert.isTrue(needsFixes)
      const isRead = dropped.length > 0 && review.text.endsWith("VERDICT: NEEDS_FIXES")
      if (review.issues.length === 0 && !isRead) assert.isTrue(needsFixes)
      const unsaid = words.filter((one) =>
        review.text.includes(one) && !dropped.some(({ issue }) => issue.includes(one))
      )
      if (review.issues.length === 0 && unsaid.length > 0) assert.isTrue(needsFixes)
      if (pending.length === 0 && (open > 0 || review.issues.length === 0)) assert.isTrue(needsFixes)
      const said = blanks(instructions)
      for (
        const { description, severity } of needsFixes && answer !== null && instructions !== review.text
          ? heavy
          : []
      ) {
        if (severity !== "minor" && words.includes(description)) assert.include(said, description)
      }
    })))

  it("that cannot be read leaves the whole review", () =>
    fc.assert(fc.property(review, tasks, nasty, fc.nat(), (review, pending, said, at) => {
      const whole = JSON.stringify({ needs_fixes: false, fix_instructions: said, dropped: [] })
      for (const answer of [said, whole.slice(0, at % whole.length), `${whole}}`]) {
        assert.isNull(readAnalysis(answer).answer)
        const { instructions, needsFixes } = analyse({ review, pending, answer })
        assert.deepStrictEqual([needsFixes, instructions], [true, review.text])
      }
    })))
})

describe("claims", () => {
  const indexes = fc.uniqueArray(fc.nat({ max: 20 }), { maxLength: 6 })
  const dress = fc.constantFrom("DONE: ", "- DONE: ", "> **done:** ", "  1. Done: #", "`DONE`: ")

  it("are those that were written and in play, each once, ascending, among whatever else", () =>
    fc.assert(fc.property(indexes, indexes, dress, nasty, fc.boolean(), (said, inPlay, dress, noise, isOneLine) => {
      const written = isOneLine && said.length > 0 ? [dress + said.join(", ")] : said.map((one) => dress + one)
      const { problems, tasks } = claims([noise, ...written, noise].join("\n"), inPlay)
      const both = said.filter((one) => inPlay.includes(one)).sort((a, b) => a - b)
      assert.deepStrictEqual(tasks, both)
      assert.strictEqual(problems.length > 0, both.length < said.length || both.length === 0)
    })))

  it("never hold what was not in play", () =>
    fc.assert(fc.property(fc.array(fc.oneof(dress, nasty, fc.nat().map(String))), indexes, (parts, inPlay) => {
      for (const one of claims(parts.join(""), inPlay).tasks) assert.include(inPlay, one)
    })))
})
