// Nearest: what was meant by a misspelt name.
import { assert, it } from "vitest"
import { nearest } from "../../../src/text/Phrases.ts"

it("is a name that at most two letters make of the word", () => {
  const names = ["audit", "runs", "replay"]
  assert.strictEqual(nearest("audti", names), "audit")
  assert.strictEqual(nearest("reply", names), "replay")
  assert.strictEqual(nearest("implementing", ["implement"]), null)
  assert.strictEqual(nearest("", names), null)
})

it("is the nearest of several, and of none that differs in half of its letters", () => {
  assert.strictEqual(nearest("--gates", ["--notes", "--gate"]), "--gate")
  assert.strictEqual(nearest("ab", ["cd", "abcd"]), null)
})
