// LegacyResult: the words of earlier agents, denied and contradicted.
import { assert, describe, it } from "vitest"
import { legacyResult } from "../../../../src/core/agent/LegacyResult.ts"

describe("a message without headers", () => {
  it.each([
    "Review passed.",
    "The change is spec compliant.",
    "APPROVED",
    "Implementation complete: 1a2b3c4..5d6e7f8",
    "Review passed. No issues found.",
    "APPROVED - 0 issues found",
    "Review passed, although approved changes once failed."
  ])("%j passes", (text) => assert.deepInclude(legacyResult(text), { grammar: "legacy", valid: true, status: "pass" }))

  it.each([
    "FAILED",
    "Two issues found in a.ts",
    "precondition failure: no database",
    "Task blocked on task 3",
    "Review loop exceeded",
    "NOT APPROVED",
    "This is not yet spec compliant.",
    "I can't call this APPROVED",
    "Review passed, but issues found in b.ts",
    "APPROVED. 3 tests FAILED."
  ])(
    "%j has gaps",
    (text) => assert.deepInclude(legacyResult(text), { grammar: "legacy", valid: true, status: "gaps" })
  )

  it.each(["", "Done.", "The plan was approved by the team.", "The build failed once.", "No issues found."])(
    "%j says neither",
    (text) => {
      const { grammar, problems, status, valid } = legacyResult(text)
      assert.deepStrictEqual([grammar, valid, status, problems.length], ["none", false, null, 1])
    }
  )

  it("keeps a range from anywhere", () =>
    assert.deepStrictEqual(legacyResult("Review passed for 1a2b3c4..5d6e7f8.").fields, {
      git_range: "1a2b3c4..5d6e7f8"
    }))
})
