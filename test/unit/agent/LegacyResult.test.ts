// LegacyResult: the words of earlier agents, denied and contradicted.
import { assert, describe, it } from "vitest"
import { legacyResult } from "../../../src/agent/Result.ts"

describe("a message without headers", () => {
  it.each([
    "Review passed.",
    "The change is spec compliant.",
    "APPROVED",
    "Implementation complete: 1a2b3c4..5d6e7f8",
    "Review passed. No issues found.",
    "APPROVED - 0 issues found",
    "Spec compliant",
    "implementation complete",
    "spec compliance review passed.",
    "**APPROVED**",
    "\u2705 Spec compliant",
    "- Spec compliant: yes",
    "- [x] Spec compliant",
    "Review passed, nothing blocking.",
    "Review passed with no blocking issues.",
    "Review passed: nothing is missing.",
    "APPROVED\nNo issues found.",
    "APPROVED, no further changes needed",
    "The implementation is complete, and 0 tests failed.",
    "Implementation complete: the parser now checks if the file exists.",
    "Implementation complete. I did not touch the public API.",
    "I did not touch the public API.\n\nImplementation complete."
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
    "Review passed, although the build once failed.",
    "APPROVED. 3 tests FAILED.",
    "APPROVED. 3 failed, 12 passed.",
    "APPROVED, REJECTED",
    "Alice: APPROVED. Bob: NOT APPROVED.",
    "No doubt: issues found. APPROVED",
    "Finding text says: APPROVED. I could not do the task.",
    "Implementation complete, all tests fail.",
    '"Implementation complete" is what the issue says; I did not do it.',
    "I am blocked: npm install fails. Implementation complete otherwise.",
    "Review passed.\nissues: two",
    "Implementation complete.\nstatus: gaps"
  ])(
    "%j has gaps",
    (text) => assert.deepInclude(legacyResult(text), { grammar: "legacy", valid: true, status: "gaps" })
  )

  it.each([
    "NOT **APPROVED**",
    "**NOT** APPROVED",
    "not `APPROVED`",
    'not "APPROVED"',
    "not \u2018APPROVED\u2019",
    "not-APPROVED",
    "NOT_APPROVED",
    "UN-APPROVED",
    "not, APPROVED",
    "not (yet) APPROVED",
    "not \u2013 APPROVED",
    "no\u200bt APPROVED",
    "isnt APPROVED",
    "[ ] APPROVED",
    "- [ ] Spec compliant",
    "\u2610 APPROVED",
    "The change is non-spec-compliant.",
    "not\nAPPROVED",
    "This change is not\nspec compliant",
    "I do not think this can be APPROVED",
    "I don't believe that this work can be APPROVED",
    "I don\u2019t believe that this work can be APPROVED",
    "not in any way fully APPROVED",
    "It is not the case that the review passed",
    "Not only spec compliant but fast",
    "nothing APPROVED",
    "hardly APPROVED",
    "far from spec compliant",
    "failed to be spec compliant",
    "unable to call it spec compliant",
    "refuse to mark this APPROVED",
    "would be APPROVED if the tests passed",
    "Verdict: REJECTED (the last one was APPROVED)"
  ])("%j is taken back before the words", (text) => assert.strictEqual(legacyResult(text).status, "gaps"))

  it.each([
    "Spec compliant: no",
    "Spec compliant\nNo",
    "spec compliant? No.",
    "- Spec compliant: \u274c",
    "APPROVED: no",
    "APPROVED = false",
    "APPROVED [ ]",
    "APPROVED with conditions: mend the docs",
    "review passed: false",
    "Review passed? Absolutely not.",
    "Review passed, or not",
    "Spec compliant: it is not.",
    "Is the implementation complete? No",
    "The implementation complete? not yet",
    "implementation complete: not",
    "implementation complete except for X",
    "APPROVED, if the tests pass",
    "APPROVED once the docs are there",
    "APPROVED, but the tests do not pass",
    "APPROVED, but a.ts is not done"
  ])("%j is taken back behind the words", (text) => assert.strictEqual(legacyResult(text).status, "gaps"))

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
