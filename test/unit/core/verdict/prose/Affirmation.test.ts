// Affirmation: sentences that say the change is right, or tell what it does.
import { assert, describe, it } from "vitest"
import { affirmationIn } from "../../../../../src/core/verdict/prose/Affirmation.ts"

describe("affirmationIn", () => {
  it.each([
    "the changes are internally consistent",
    "typecheck and the relevant tests pass",
    "the comment does not affect code, tests, or documented behavior",
    "the refactor preserves the existing behavior",
    "the added tests cover both cases"
  ])("is right: %s", (sentence) => assert.strictEqual(affirmationIn(sentence), "right"))

  it.each([
    "the commit only bumps a version",
    "the change moves the helper into its own file",
    "i reviewed the scheduler"
  ])(
    "tells: %s",
    (sentence) => assert.strictEqual(affirmationIn(sentence), "tells")
  )

  it.each([
    "the result is not consistent with the schema",
    "the order is hardly correct",
    "passwords are now written to the debug log",
    "two threads can enter at once",
    "問題なし"
  ])("is neither: %s", (sentence) => assert.isNull(affirmationIn(sentence)))
})
