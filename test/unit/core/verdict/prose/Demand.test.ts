// Demand: what a review wants changed, and what it says the change fails to do.
import { assert, describe, it } from "vitest"
import { advises, asks, lacking, neutral } from "../../../../../src/core/verdict/prose/Demand.ts"
import { isNot } from "../../../../../src/core/verdict/prose/Words.ts"
import { wordsOf } from "./clauses.ts"

/** What the first negation of the clause takes from the change. */
const taken = (text: string) => {
  const at = wordsOf(text)
  const not = at.findIndex((_, i) => isNot(at, i))
  assert.isAtLeast(not, 0)
  return lacking(at, not)
}

describe("lacking", () => {
  it.each([
    "it does not enforce the limit",
    "the handle is not always released",
    "this is not safe",
    "the retry won't be idempotent",
    "it will never release the lock"
  ])("is strong: %s", (text) => assert.strictEqual(taken(text), "strong"))

  it.each([
    "the token cannot escape",
    "the callback is never invoked",
    "the row is not written"
  ])("is weak: %s", (text) => assert.strictEqual(taken(text), "weak"))

  it.each([
    "it does not modify the schema",
    "the path is not used yet",
    "I did not find a problem",
    "it does not introduce a regression",
    "it does not crash",
    "the response does not include any credentials",
    "I did not"
  ])("is nothing: %s", (text) => assert.isNull(taken(text)))

  it("is strong of credentials that a review misses elsewhere", () =>
    assert.strictEqual(taken("the backup does not include the index"), "strong"))
})

describe("neutral verbs", () => {
  it("are those whose negation is no reproach", () => {
    for (const verb of ["modify", "affect", "require"]) assert.isTrue(neutral.has(verb))
    for (const verb of ["validate", "release", "close"]) assert.isFalse(neutral.has(verb))
  })
})

describe("asks", () => {
  it.each(["Guard against a null user.", "Close the handle in `finally`.", "Don't retry on 401.", "Add a test."])(
    "asks for a change: %s", (text) => assert.isTrue(asks(wordsOf(text))))

  it.each([
    "Guard",
    "Validate was added.",
    "Handling looks right.",
    "Force pushes to protected branches are refused.",
    "Review passed.",
    "The handle is closed."
  ])("does not: %s", (text) => assert.isFalse(asks(wordsOf(text))))
})

describe("advises", () => {
  const opens = (text: string) => wordsOf(text).some((_, i, at) => advises(at, i))

  it.each([
    "Consider a lock here.",
    "I suggest a smaller batch.",
    "The guard should be restored.",
    "The handle must be released.",
    "You need a lock."
  ])("opens advice: %s", (text) => assert.isTrue(opens(text)))

  it.each([
    "The tests consider both.",
    "The docs suggest a smaller batch.",
    "Callers should see no difference.",
    "The index needs one pass."
  ])("does not: %s", (text) => assert.isFalse(opens(text)))
})
