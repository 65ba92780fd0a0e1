// Exemption: harm that is told of without blaming the change: of the past, of intent, of the reviewer's machine.
import { assert, describe, it } from "vitest"
import { isPast, isSettled, notOfThisChange, notRun } from "../../../../../src/core/verdict/prose/Exemption.ts"
import { indexOf, wordsOf } from "./clauses.ts"

describe("checks that could not be run", () => {
  it.each([
    "I could not run the test suite",
    "The build was skipped",
    "`npm test` needs the network",
    "pytest is not installed",
    "Verification was blocked from running in this environment"
  ])("are: %s", (text) => assert.isTrue(notRun(wordsOf(text), false)))

  it.each([
    "The tests fail",
    "The worker could not be started",
    "The environment variable is not read by the tests"
  ])("are not: %s", (text) => assert.isFalse(notRun(wordsOf(text), false)))

  it("are what a pronoun stands for", () => {
    assert.isTrue(notRun(wordsOf("they could not be executed here"), true))
    assert.isFalse(notRun(wordsOf("they could not be executed here"), false))
  })
})

describe("what is not of this change", () => {
  it.each([
    "The pre-existing warning stays",
    "The failure is unrelated to this diff",
    "It also fails on main",
    "That was not introduced by this patch",
    "The crash lies outside the diff",
    "Renaming it is out of scope",
    "That was there before the change",
    "Errors are swallowed by design",
    "It is not a regression",
    "It retries as documented"
  ])("is: %s", (text) => assert.isTrue(notOfThisChange(wordsOf(text))))

  it.each([
    "It blocks on the main thread",
    "It does not retry as documented",
    "Two unrelated rows are swapped here by the sort",
    "The crash is new",
    "It runs before the guard"
  ])("is none: %s", (text) => assert.isFalse(notOfThisChange(wordsOf(text))))
})

describe("the past", () => {
  const past = (text: string, word: string) => {
    const at = wordsOf(text)
    return isPast(at, indexOf(at, word))
  }

  it("is said by a word in front", () => {
    assert.isTrue(past("the previously reported leak", "leak"))
    assert.isTrue(past("an existing race", "race"))
    assert.isTrue(past("Formerly it crashes", "crashes"))
    assert.isFalse(past("the reported row is read again and then leaks", "leaks"))
  })

  it("is what something did until now", () => {
    assert.isTrue(past("the path that silently skipped lines now reports them", "silently"))
    assert.isFalse(past("the path that silently skipped lines reports them", "silently"))
  })
})

describe("a defect that is settled", () => {
  const settled = (text: string, word: string) => {
    const at = wordsOf(text)
    return isSettled(at, indexOf(at, word))
  }

  it.each([
    ["The leak was fixed", "leak"],
    ["The bug was that rows were doubled", "bug"],
    ["The issues noted in the last pass of the review have all been addressed", "issues"],
    ["The regression appears to be resolved", "regression"]
  ])("is: %s", (text, word) => assert.isTrue(settled(text, word)))

  it.each([
    ["The leak should be fixed", "leak"],
    ["The leak is not fixed", "leak"],
    ["The leak remains", "leak"],
    ["The issues noted in the last pass of the review remain, the docs were fixed", "issues"],
    ["The leak must be addressed", "leak"]
  ])("is not: %s", (text, word) => assert.isFalse(settled(text, word)))
})
