// Negation: what takes a verdict back, before it and behind it, and what only explains it.
import { assert, describe, it } from "vitest"
import { denies, deniesAfter, deniesBefore, dropHarmless, dropMarkup, saysUndone } from "../../../src/agent/Negation.ts"

describe("the words before a verdict", () => {
  it.each(["not ", "I don't think it is ", "would be ", "if it is ", "un-", "\u274c "])(
    "takes it back: %j",
    (head) => assert.isTrue(deniesBefore(head))
  )
  it.each(["", "The change is ", "A notable ", "Nothingness is "])(
    "does not: %j",
    (head) => assert.isFalse(deniesBefore(head))
  )
})

describe("the words after a verdict", () => {
  it.each([": no", " is not so", "? Yes", ", if all is well", ", but not now", "\nNo", " if so"])(
    "takes it back: %j",
    (tail) => assert.isTrue(deniesAfter(tail))
  )
  it.each([
    "",
    ".",
    ", all tests pass",
    ": the parser checks if it may not read",
    " because it does not break anything",
    ", but slow"
  ])(
    "does not: %j",
    (tail) => assert.isFalse(deniesAfter(tail))
  )
})

describe("a denial that speaks for the work", () => {
  it.each([
    "no issues found",
    "0 tests failed",
    "without any remarks",
    "nothing is broken",
    "no blocking issues were found"
  ])(
    "is no denial: %j",
    (text) => assert.isFalse(denies(dropHarmless(`APPROVED, ${text}.`)))
  )
  it.each(["no", "no, issues found", "no tests", "nothing works", "no issues were fixed"])(
    "is not %j",
    (text) => assert.isTrue(denies(dropHarmless(`APPROVED, ${text}.`)))
  )
})

describe("a worker's words", () => {
  it.each([
    "I failed.",
    "npm install fails",
    "The tests are failing",
    "I am **blocked**.",
    "I could not do it",
    "I couldn\u2019t",
    "Can't proceed",
    "It did not work.",
    "It is not finished",
    "I have not been able to",
    "I gave up",
    "No changes were made",
    "Nothing was done.",
    "I won't do this",
    "Here:\n**Status:** error"
  ])("say that the work is not done: %j", (text) => assert.isTrue(saysUndone(text)))
  it.each([
    "",
    "The bound is fixed.",
    "I fixed the failing test.",
    "The parser does not crash any more.",
    "I did not touch the public API.",
    "status: pass"
  ])("do not: %j", (text) => assert.isFalse(saysUndone(text)))
})

it("reads a text without its marks", () =>
  assert.strictEqual(
    dropMarkup("> **No**  `t`_his_\r\n\r\n \u2018x\u2019\u200b"),
    " No t his\n\n'x'"
  ))
