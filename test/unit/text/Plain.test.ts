// Plain: a text without colour and hidden characters, with plain quotes and line ends.
import { assert, describe, it } from "vitest"
import { plain } from "../../../src/text/Untrusted.ts"

describe("plain", () => {
  it("takes away terminal codes and what cannot be seen", () => {
    assert.strictEqual(plain("\u001b[1;31mNo\u001b[0m is\u200bsues\u202e\u0007."), "No issues.")
    assert.strictEqual(plain("\u001b]8;;http://x\u0007link\u001b]8;;\u0007"), "link")
  })

  it("has one line end and one kind of quotes", () => {
    assert.strictEqual(plain("a\r\nb\rc\u2028d"), "a\nb\nc\nd")
    assert.strictEqual(plain("it\u2019s \u201cfine\u201d"), 'it\'s "fine"')
  })

  it("leaves tabs and line ends alone", () => assert.strictEqual(plain("a\tb\n"), "a\tb\n"))
})
