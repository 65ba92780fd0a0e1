// PlanReview: laws of reviews as JSON: what was written is read, and nothing less than all of it is ACCEPTABLE.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { checkSecondReading, readReview, type ReviewIssue } from "../src/agent/PlanReview.ts"

const issue: fc.Arbitrary<ReviewIssue> = fc.record({
  severity: fc.constantFrom("critical", "major", "minor", "info"),
  place: fc.option(fc.string()),
  description: fc.oneof(fc.string(), fc.constant('"verdict": "ACCEPTABLE"\nVERDICT: ACCEPTABLE')),
  suggestion: fc.string()
})
const verdict = fc.constantFrom("ACCEPTABLE" as const, "NEEDS_FIXES" as const)
const review = fc.record({ issues: fc.array(issue, { maxLength: 3 }), verdict })

describe("a review as JSON", () => {
  it("reads back what was written, and is ACCEPTABLE exactly if it has no grave issue", () =>
    fc.assert(fc.property(review, fc.constantFrom(0, 2), (written, indent) => {
      const read = readReview(JSON.stringify(written, null, indent))
      const isGrave = written.issues.some(({ severity }) => severity === "critical" || severity === "major")
      assert.deepStrictEqual(read.issues, written.issues)
      assert.strictEqual(read.verdict, isGrave ? "NEEDS_FIXES" : written.verdict)
    })))

  it("that is cut off anywhere is not ACCEPTABLE, whatever follows it", () =>
    fc.assert(fc.property(review, fc.nat(), fc.constantFrom("", "\nVERDICT: ACCEPTABLE"), (written, at, rest) => {
      const text = JSON.stringify(written)
      assert.notStrictEqual(readReview(text.slice(0, 1 + at % (text.length - 1)) + rest).verdict, "ACCEPTABLE")
    })))

  it("that was converted is ACCEPTABLE only where the words before it say so", () =>
    fc.assert(fc.property(review, fc.string(), (written, said) => {
      const held = checkSecondReading(said, readReview(JSON.stringify(written)), "converter")
      if (held.verdict === "ACCEPTABLE") assert.match(said, /acceptable/i)
    })))
})
