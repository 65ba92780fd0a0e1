// Untrusted: foreign text without what is hidden in it, on one line, cut to a length, in a prompt and in a fence.
import { assert, describe, it } from "vitest"
import {
  brief,
  cut,
  excerpt,
  fence,
  fenced,
  hasHidden,
  oneLine,
  plain,
  promptBlock,
  replaceHidden,
  shortened,
  tail,
  withoutHidden
} from "../../../src/text/Untrusted.ts"

const marked = (text: string): string => replaceHidden(text, (c) => `<${(c.codePointAt(0) ?? 0).toString(16)}>`)

describe("hidden are", () => {
  const ranges: ReadonlyArray<readonly [string, number, number]> = [
    ["C0 controls", 0x0000, 0x001f],
    ["DEL and C1 controls", 0x007f, 0x009f],
    ["the soft hyphen", 0x00ad, 0x00ad],
    ["the grapheme joiner", 0x034f, 0x034f],
    ["the Arabic letter mark", 0x061c, 0x061c],
    ["Hangul fillers", 0x115f, 0x1160],
    ["Khmer inherent vowels", 0x17b4, 0x17b5],
    ["Mongolian selectors", 0x180b, 0x180f],
    ["zero-width characters and direction marks", 0x200b, 0x200f],
    ["line and paragraph separators, embeddings and overrides", 0x2028, 0x202e],
    ["word joiner, invisible operators, isolates, old format controls", 0x2060, 0x206f],
    ["the Hangul filler", 0x3164, 0x3164],
    ["variation selectors behind nothing", 0xfe00, 0xfe0f],
    ["the byte order mark", 0xfeff, 0xfeff],
    ["the halfwidth Hangul filler", 0xffa0, 0xffa0],
    ["interlinear annotations", 0xfff9, 0xfffb],
    ["shorthand format controls", 0x1bca0, 0x1bca3],
    ["musical format controls", 0x1d173, 0x1d17a],
    ["tag characters and the supplement of variation selectors", 0xe0000, 0xe0fff],
    ["halves of characters", 0xd800, 0xdfff]
  ]
  it.each(ranges)("%s", (_, first, last) => {
    for (let code = first; code <= last; code++) {
      const character = code >= 0xd800 && code <= 0xdfff ? String.fromCharCode(code) : String.fromCodePoint(code)
      assert.strictEqual(marked(`a${character}b`), `a<${code.toString(16)}>b`)
      assert.isTrue(hasHidden(character))
    }
  })

  const misplaced: ReadonlyArray<readonly [string, string, string]> = [
    ["joiners between Latin letters", "pass\u200dword \u200cx", "pass<200d>word <200c>x"],
    ["a joiner at an edge", "\u200dक\u200d", "<200d>क<200d>"],
    ["a run of joiners", "क\u200d\u200cष", "क<200d><200c>ष"],
    ["a joiner behind a filler", "\u3164\u200dक", "<3164><200d>क"],
    ["a joiner before an accent of a Latin letter", "a\u200d\u0301", "a<200d>\u0301"],
    ["a selector behind a letter or a digit", "a\ufe0f1\ufe0f", "a<fe0f>1<fe0f>"],
    ["a run of selectors", "❤\ufe0f\ufe0f\ufe0e", "❤\ufe0f<fe0f><fe0e>"],
    ["an ideographic selector", "葛\u{e0100}", "葛<e0100>"],
    ["the tags of a flag", "🏴\u{e0067}\u{e007f}", "🏴<e0067><e007f>"]
  ]
  it.each(misplaced)("%s", (_, text, expected) => assert.strictEqual(marked(text), expected))
})

describe("not hidden is", () => {
  const ordinary: ReadonlyArray<readonly [string, string]> = [
    ["text with accents, composed or not", "Müller e\u0301 naïve"],
    ["Chinese, Japanese, Korean", "漢字 かな 한국어"],
    ["Hebrew and Arabic", "שלום עולם مرحبا بالعالم"],
    ["Persian with its joiners, also behind a Latin word", "می\u200cخواهم HTML\u200cها"],
    ["Hindi and Bengali with theirs", "क्\u200dष र\u200d্য"],
    [
      "emoji of several parts",
      "👩🏽\u200d💻 👁\ufe0f\u200d🗨\ufe0f ❤\ufe0f\u200d🔥 👨\u200d👩\u200d👦 🏳\ufe0f\u200d🌈 👨🏿\u200d⚕\ufe0f"
    ],
    ["signs as emoji or as text, keycaps, flags", "©\ufe0f ↩\ufe0e 1\ufe0f\u20e3 #\ufe0f\u20e3 🇩🇪"],
    ["spaces of any width", "a\u00a0b\u2009c\u3000d"]
  ]
  it.each(ordinary)("%s", (_, text) => {
    assert.strictEqual(marked(text), text)
    assert.isFalse(hasHidden(text))
  })
})

describe("a text without what is hidden", () => {
  it("has lost terminal sequences whole", () =>
    assert.strictEqual(
      withoutHidden("\u001b[31mred\u001b[0m \u001b]0;title\u0007a\u001b[2J\u009b1A\u202eb\u{e0041}c\u001bMd\te"),
      "red a1Abcde"
    ))

  it("keeps the requested characters", () => assert.strictEqual(withoutHidden("a\n\u200bb\tc\r", "\n\t"), "a\nb\tc"))

  it("has lost nothing behind a sequence that never ends", () =>
    assert.strictEqual(withoutHidden("\u001b]0;a defect in a.ts\nand more"), "0;a defect in a.tsand more"))

  it("takes time by its length alone", () => {
    for (const unit of ["\u001b]", "\u001b[0;", "क\u200d", "\u200d", "\u001bP\u001b"]) {
      assert.isAtMost(withoutHidden(unit.repeat(300_000)).length, unit.length * 300_000)
    }
  })
})

describe("plain", () => {
  it("takes away terminal codes and what cannot be seen", () => {
    assert.strictEqual(plain("\u001b[1;31mNo\u001b[0m is\u200bsues\u202e\u0007."), "No issues.")
    assert.strictEqual(plain("\u001b]8;;http://x\u0007link\u001b]8;;\u0007"), "link")
  })

  it("has one line end and one kind of quotes", () => {
    assert.strictEqual(plain("a\r\nb\rc\u2028d"), "a\nb\nc\nd")
    assert.strictEqual(plain("it\u2019s \u201cfine\u201d"), 'it\'s "fine"')
  })
})

describe("oneLine", () => {
  it("leaves printable text as it is, quotes and backslashes too", () => {
    const text = "Found N+1 pattern: \"x\" \\ 'y' <LEVEL> é 日本 👩‍🚀"
    assert.strictEqual(oneLine(text), text)
  })

  it("names the common controls", () => assert.strictEqual(oneLine("a\nb\rc\td"), "a\\nb\\rc\\td"))

  const escaped: ReadonlyArray<readonly [string, string]> = [
    ["\u001b", "\\u001b"],
    ["\u2028", "\\u2028"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\ud800", "\ufffd"]
  ]
  it.each(escaped)("escapes %j", (raw, written) => assert.strictEqual(oneLine(`a${raw}b`), `a${written}b`))
})

describe("promptBlock", () => {
  it("keeps the indentation a text brings along, behind its own", () =>
    assert.strictEqual(promptBlock("a\n  b\n\nc"), "  prompt: a\n      b\n    \n    c"))

  it("shows what is hidden in it and keeps tabs", () =>
    assert.strictEqual(
      promptBlock("FAIL\ta.ts \u001b[31mred\u009b0m\n\u202e\u{e0041}b"),
      "  prompt: FAIL\ta.ts \\u001b[31mred\\u009b0m\n    \\u202e\\u{e0041}b"
    ))
})

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
  it("has the lines that every reader sees, with tabs kept and the rest escaped", () =>
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
