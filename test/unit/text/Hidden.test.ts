// Hidden: which characters are hidden, one kind after the other, and which texts stay as they are.
import { assert, describe, it } from "vitest"
import { hasHidden, replaceHidden, withoutHidden } from "../../../src/text/Untrusted.ts"

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

  it("keeps what it is told to keep", () => assert.strictEqual(withoutHidden("a\n\u200bb\tc\r", "\n\t"), "a\nb\tc"))

  it("has lost nothing behind a sequence that never ends", () =>
    assert.strictEqual(withoutHidden("\u001b]0;a defect in a.ts\nand more"), "0;a defect in a.tsand more"))

  it("takes time by its length alone", () => {
    for (const unit of ["\u001b]", "\u001b[0;", "क\u200d", "\u200d", "\u001bP\u001b"]) {
      assert.isAtMost(withoutHidden(unit.repeat(300_000)).length, unit.length * 300_000)
    }
  })
})
