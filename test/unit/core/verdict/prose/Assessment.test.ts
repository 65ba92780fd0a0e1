// Assessment: what is said in a change's favour, and what only sounds like it.
import { assert, describe, it } from "vitest"
import { assessed, cured, describes, harmless, remedies, spared } from "../../../../../src/core/verdict/prose/Assessment.ts"
import { wordsOf } from "./clauses.ts"

const says = (text: string, test: (at: ReadonlyArray<string>, i: number) => boolean): boolean =>
  wordsOf(text).some((_, i, at) => test(at, i))

const praises = (text: string, led = false) => says(text, (at, i) => assessed(at, i, led))

describe("an assessment", () => {
  it.each([
    "LGTM",
    "The lock order is consistent",
    "All tests pass",
    "Looks good",
    "The patch preserves existing behavior",
    "The change appears to preserve the order",
    "I verified the callers",
    "There are no missing keys",
    "Both branches are covered by tests",
    "The suite reports no failures",
    "It fixes the stale closure",
    "The handler is wired correctly"
  ])("is: %s", (text) => assert.isTrue(praises(text)))

  it.each([
    "The result may be correct",
    "The order would be preserved",
    "It is correct for ASCII input only",
    "It is the only safe path",
    "The check passes without the file",
    "A handler keeps existing sessions",
    "There is no invalid input check",
    "Works",
    "The parser reads rows"
  ])("is not: %s", (text) => assert.isFalse(praises(text)))

  it("hangs on the clause before it where it opens with its verb", () => {
    assert.isTrue(praises("matches the other reader", true))
    assert.isFalse(praises("matches the other reader"))
  })
})

describe("a remedy", () => {
  const mends = (text: string) => says(text, remedies)

  it("is applied to what is bad", () => {
    assert.isTrue(mends("It prevents the stale closure from leaking"))
    assert.isTrue(mends("preventing children from blocking the loop"))
    assert.isFalse(mends("It prevents users from signing in"))
    assert.isFalse(mends("preventing stale users from signing in"))
  })

  it("is what no longer happens", () => {
    assert.isTrue(says("It no longer ignores the error", cured))
    assert.isTrue(says("It no longer crashes", cured))
    assert.isFalse(says("It no longer reads the file", cured))
  })
})

describe("a change that can do no harm", () => {
  it.each([
    "It does not affect runtime behavior",
    "There are no functional changes",
    "No runtime code is affected",
    "The edits are limited to version bumps",
    "The commit only updates the docs",
    "This patch does not change the application"
  ])("is: %s", (text) => assert.isTrue(says(text, harmless)))

  it.each([
    "It does not affect the parser",
    "The cache is limited to ten rows",
    "It affects runtime behavior",
    "No tests are affected"
  ])("is none: %s", (text) => assert.isFalse(says(text, harmless)))
})

describe("what is spared", () => {
  it.each([
    "It does not appear to break existing callers",
    "without degrading throughput",
    "It is done without affecting other fields"
  ])("is: %s", (text) => assert.isTrue(says(text, spared)))

  it.each([
    "It does not break the loop",
    "It may not break existing callers",
    "It does not break callers on one platform only",
    "It is impossible to say that it does not break callers",
    "It breaks callers"
  ])("is not: %s", (text) => assert.isFalse(says(text, spared)))
})

describe("a description", () => {
  it("tells what the change does, or what the reviewer did, near its beginning", () => {
    assert.isTrue(describes(wordsOf("The patch adds a flag")))
    assert.isTrue(describes(wordsOf("I checked each caller")))
    assert.isFalse(describes(wordsOf("The default port is 8080")))
    assert.isFalse(describes([...Array.from({ length: 24 }, () => "word"), "adds"]))
  })
})
