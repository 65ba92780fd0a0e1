// Scopes: which words name a defect, what governs them, and whether a clause denies defects.
import { assert, describe, it } from "vitest"
import { isDefect, scopesOf } from "../../../../../src/core/verdict/prose/Scopes.ts"
import { indexOf, wordsOf } from "./clauses.ts"

const denial = (text: string) => scopesOf(wordsOf(text)).denial

const governed = (text: string, word: string) => {
  const at = wordsOf(text)
  return scopesOf(at).by[indexOf(at, word)]
}

describe("a defect's name", () => {
  const named = (text: string) => wordsOf(text).filter((_, i, at) => isDefect(at, i))

  it.each([
    ["one bug in the regression test", ["bug"]],
    ["a regression in the parser", ["regression"]],
    ["the issue list holds each issue", ["issue"]],
    ["it issues a request per issue", ["issue"]],
    ["the linked issue", []],
    ["a bug-introducing edit", ["bug-introducing"]],
    ["the problem statement", []]
  ])("stands in %j as %j", (text, expected) => assert.deepStrictEqual(named(text), expected))
})

describe("a denial", () => {
  it.each([
    "I did not find any actionable issues",
    "No issues were identified",
    "I was unable to identify a regression",
    "The review failed to uncover any defects",
    "I did not identify incorrect guidance",
    "Inspection turned up no problems",
    "none were found",
    "I found nothing that needs to change",
    "I see no way to break it",
    "No changes are required",
    "I did not come across any defects"
  ])("is general: %s", (text) => assert.strictEqual(denial(text), "full"))

  it.each([
    ["I found no security issues", "partial"],
    ["It does not introduce a race", "partial"],
    ["I found no other issues", "others"]
  ])("goes as far as it says: %s", (text, expected) => assert.strictEqual(denial(text), expected))

  it.each([
    "The scanner does not report issues in nested files",
    "The linter reports no issues",
    "It handles the error without crashing the worker",
    "The parser crashes",
    "No token is checked",
    "This fixes the issue"
  ])("is none: %s", (text) => assert.isNull(denial(text)))

  it("that reaches one kind gives way to a later one that is general", () =>
    assert.strictEqual(denial("I found no security issues and did not find any bugs"), "full"))
})

describe("what governs a word", () => {
  it("is a negation in front of it, for a few words", () => {
    assert.deepInclude(governed("It does not drop rows", "drop"), { verb: true, noun: true })
    assert.deepInclude(governed("It does not log , in any of its many modes , and crashes", "crashes"), { verb: false })
  })

  it("is `no`, for verbs up to a comma", () => {
    assert.deepInclude(governed("No caller breaks", "breaks"), { verb: true })
    assert.deepInclude(governed("With no cache , every read breaks", "breaks"), { verb: false, noun: true })
  })

  it("is what mends it", () => {
    assert.deepInclude(governed("It fixes the crash on start", "crash"), { mended: true })
    assert.deepInclude(governed("It should fix the crash on start", "crash"), { mended: false })
    assert.deepInclude(governed("The fixed header regresses on phones", "regresses"), { mended: false })
  })

  it("ends where a new predicate says what the code does", () =>
    assert.deepInclude(governed("It does not block and leaks the handle", "leaks"), { verb: false, mended: false }))

  it("goes on behind `or`", () =>
    assert.deepInclude(governed("It does not alter the output or break callers", "break"), { verb: true }))
})
