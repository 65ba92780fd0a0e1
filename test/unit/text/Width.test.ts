// Width: how many columns a text takes, and what of it fits.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fitWidth, width } from "../../../src/text/Width.ts"

describe("the width of a text", () => {
  it.each([["", 0], ["abc ~", 5], ["é", 1], ["e\u0301", 1], ["資料", 4], ["한글", 4], ["ｆ", 2], ["🚀", 2], ["⚡", 2], [
    "✔\ufe0f",
    2
  ]])(
    "of %j",
    (text, columns) => assert.strictEqual(width(text), columns)
  )
})

describe("the beginning that fits", () => {
  it("is all of a text that does", () => {
    assert.strictEqual(fitWidth("abc", 3), "abc")
    assert.strictEqual(fitWidth("資料", 4), "資料")
  })
  it("is cut between characters, and by columns", () => {
    assert.strictEqual(fitWidth("abcd", 3), "abc")
    assert.strictEqual(fitWidth("資料", 3), "資")
    assert.strictEqual(fitWidth("a🚀b", 2), "a")
    assert.strictEqual(fitWidth("abc", -1), "")
    assert.strictEqual(fitWidth("資", -1), "")
  })
  it("never takes more columns, and loses none that fit", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "資", "é", "🚀", "e\u0301", "-"), maxLength: 30 })
    fc.assert(fc.property(text, fc.nat(40), (text, columns) => {
      const shown = fitWidth(text, columns)
      assert.isTrue(text.startsWith(shown))
      assert.isAtMost(width(shown), columns)
      if (shown !== text) assert.isAtLeast(width(shown), columns - 1)
    }))
  })
})
