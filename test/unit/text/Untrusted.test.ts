// Untrusted: foreign text cut to a length, on a line, in a fence.
import { assert, describe, it } from "vitest"
import { brief, cut, excerpt, fence, fenced, shortened, tail } from "../../../src/text/Untrusted.ts"

describe("cut and tail", () => {
  it("keep a text that is no longer", () => {
    assert.strictEqual(cut("a\n\u200b", 3), "a\n\u200b")
    assert.strictEqual(tail("\u200b\na", 3), "\u200b\na")
  })

  it("leave no half of a character and no joiner without its neighbour", () => {
    const family = "👨\u200d👩"
    assert.deepStrictEqual([1, 2, 3, 4, 5].map((most) => cut(`${family}x`, most)), ["", "👨", "👨", "👨", family])
    assert.deepStrictEqual([1, 2, 3, 4, 5].map((most) => tail(`x${family}`, most)), ["", "👩", "👩", "👩", family])
    assert.strictEqual(cut("❤\ufe0fx", 1), "❤")
  })

  it("keep the beginning and the end", () => {
    assert.strictEqual(cut("abcdef", 3), "abc")
    assert.strictEqual(tail("abcdef", 3), "def")
    assert.strictEqual(cut("abc", 0), "")
    assert.strictEqual(tail("abc", 0), "")
  })
})

describe("brief", () => {
  it("is one line that says when there was more", () => {
    assert.strictEqual(brief("a\nb", 4), "a\\nb")
    assert.strictEqual(brief("a\nbc", 4), "a...")
    assert.strictEqual(brief("x".repeat(9), 5), "xx...")
  })
})

describe("shortened", () => {
  it("says when there was more, and cuts no character", () => {
    assert.strictEqual(shortened("abc", 3), "abc")
    assert.strictEqual(shortened("abcd", 3), "abc...")
    assert.strictEqual(shortened("ab👨", 3), "ab...")
  })
})

describe("an excerpt", () => {
  it("is lines as every reader tells them, tabs kept, the rest written out", () =>
    assert.deepStrictEqual(excerpt("a\tb\u2028c\u202e\n\n", 100), { lines: ["a\tb", "c\\u202e"], whole: true }))

  it("says when it is not all", () => {
    assert.deepStrictEqual(excerpt("abc\ndef", 5), { lines: ["abc", "d"], whole: false })
    assert.isFalse(excerpt("\u202e\u202e\u202e", 6).whole)
  })
})

describe("a fence", () => {
  it("is longer than any run of backticks in it, and marks every line", () => {
    assert.strictEqual(fence(["a", "", "````"]), "`````text\n| a\n|\n| ````\n`````")
    assert.strictEqual(fenced("a\nb", 2), "```text\n| a\n```")
  })
})
