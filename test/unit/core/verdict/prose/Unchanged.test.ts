// Unchanged: the reviewed code is what it is compared with, told apart from behaviour that stays the same.
import { assert, describe, it } from "vitest"
import { saysUnchanged } from "../../../../../src/core/verdict/prose/Unchanged.ts"
import { clauseOf } from "./clauses.ts"

describe("no difference to review", () => {
  it.each([
    "The two revisions are identical",
    "The current checkout does not differ from the base",
    "The branch is even with main",
    "The trees are the same",
    "The tree at HEAD is identical to main",
    "Nothing differs from main",
    "No files have changed from the base",
    "All files match the base branch",
    "The branch has no remaining diff",
    "No changes have been made on this branch",
    "There is no patch here to judge"
  ])("is said: %s", (text) => assert.isTrue(saysUnchanged(clauseOf(text))))

  it.each([
    "The behavior is identical to main",
    "The two parsers are identical",
    "The branch does not change the schema",
    "Nothing differs in the output",
    "All tests match the base branch",
    "The branch is even faster",
    "No changes have been made to the schema",
    "The test covers that nothing differs from main",
    "when the trees are identical"
  ])("is not: %s", (text) => assert.isFalse(saysUnchanged(clauseOf(text))))
})
