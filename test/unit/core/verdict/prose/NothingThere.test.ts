// NothingThere: there was no change to review, told apart from a change that leaves something as it was.
import { assert, describe, it } from "vitest"
import { saysNoCode, saysNothingThere } from "../../../../../src/core/verdict/prose/NothingThere.ts"
import { clauseOf } from "./clauses.ts"

describe("nothing to review", () => {
  it.each([
    "There is nothing to review",
    "There are no changes to review",
    "I found no staged or unstaged changes",
    "There are no changes relative to main",
    "Nothing changed between the two commits",
    "No files were changed in this commit",
    "`git diff` returned nothing",
    "The working tree is clean",
    "HEAD equals main",
    "Both refs point to the same commit",
    "There are no changes under review",
    "The requested review scope is empty",
    "There is no diff against the base"
  ])("is said: %s", (text) => assert.isTrue(saysNothingThere(clauseOf(text))))

  it.each([
    "There are no changes in behavior",
    "It makes no changes to the schema",
    "The command returns no changes to its caller",
    "The test covers the case of no changes to review",
    "There are no code changes needed",
    "No public API is changed",
    "The parser has nothing to do",
    "if there is nothing to review"
  ])("is not: %s", (text) => assert.isFalse(saysNothingThere(clauseOf(text))))
})

describe("no code", () => {
  it.each(["The commit contains no code changes", "There are no source changes present in this diff"])(
    "is said: %s", (text) => assert.isTrue(saysNoCode(clauseOf(text))))
  it.each(["The parser contains no code changes", "The commit contains no test changes", "No code changes are needed"])(
    "is not: %s", (text) => assert.isFalse(saysNoCode(clauseOf(text))))
})
