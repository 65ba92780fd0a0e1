// How a message repeats a text from the command line: on one line, of bounded length, in well-formed Unicode.
import { assert, describe, it } from "vitest"
import { named, quote } from "../../../src/cli/argv.ts"

describe("a text from the command line", () => {
  it("is repeated as it is where it is plain", () => {
    assert.strictEqual(named("--base"), "--base")
    assert.strictEqual(quote("a b"), '"a b"')
  })

  it("is one line", () => assert.strictEqual(quote("a\nb\u2028c\u001b[31m"), '"a\\nb\\u2028c\\u001b[31m"'))

  it("is short, and says that it goes on", () => {
    assert.isBelow(named("x".repeat(5000)).length, 100)
    assert.match(named("x".repeat(5000)), /^x+\.\.\.$/)
  })

  it("holds no half of a character", () => {
    assert.isTrue(named(`${"x".repeat(79)}\u{1f600}`).isWellFormed())
    assert.isTrue(named("\ud800").isWellFormed())
  })
})
