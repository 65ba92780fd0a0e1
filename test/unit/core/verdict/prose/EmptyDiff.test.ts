// EmptyDiff: the reviewed change is empty, told apart from emptiness that the code is about.
import { assert, describe, it } from "vitest"
import { saysEmpty } from "../../../../../src/core/verdict/prose/EmptyDiff.ts"
import { clauseOf } from "./clauses.ts"

describe("the reviewed change", () => {
  it.each([
    "The diff is empty",
    "The requested patch turned out to be completely empty",
    "The merge-base diff against main contains no changes",
    "The working tree has no modifications to review",
    "`git diff main` produced no output",
    "The commit does not contain any changes",
    "The branch has no commits ahead of main",
    "This is an empty commit",
    "With an empty diff, there is nothing to say",
    "I was given an empty patch",
    "An empty diff was supplied",
    "The diff between the two revisions is blank"
  ])("is empty: %s", (text) => assert.isTrue(saysEmpty(clauseOf(text))))

  it.each([
    "The diff is empty of tests",
    "The diff is not empty",
    "The list is empty",
    "The parser returns an empty diff",
    "The diff contains no functional changes",
    "The diff contains no changes in behavior",
    "The commit contains no tests",
    "The cache is empty",
    "The output is empty",
    "when the diff is empty"
  ])("is not: %s", (text) => assert.isFalse(saysEmpty(clauseOf(text))))
})
