// Text: how foreign text is laid on one line, and how a prompt is laid out as a block.
// The one rule: each line break that some reader honours is named here, so that none can be dropped unseen.
import { assert, describe, it } from "vitest"
import { lines, oneLine, promptBlock } from "../../../src/text/Untrusted.ts"

const breaks: ReadonlyArray<readonly [string, string]> = [
  ["line feed", "\n"],
  ["carriage return", "\r"],
  ["carriage return and line feed", "\r\n"],
  ["vertical tab", "\v"],
  ["form feed", "\f"],
  ["file separator", "\u001c"],
  ["group separator", "\u001d"],
  ["record separator", "\u001e"],
  ["next line", "\u0085"],
  ["line separator", "\u2028"],
  ["paragraph separator", "\u2029"]
]

describe("lines", () => {
  it.each(breaks)("splits at a %s", (_, at) => assert.deepStrictEqual(lines(`a${at}b`), ["a", "b"]))
  it("keeps empty lines", () => assert.deepStrictEqual(lines("\n\n"), ["", "", ""]))
  it("does not split at a tab or a backslash", () => assert.deepStrictEqual(lines("a\tb\\nc"), ["a\tb\\nc"]))
})

describe("oneLine", () => {
  it("leaves printable text as it is, quotes and backslashes too", () => {
    const text = "Found N+1 pattern: \"x\" \\ 'y' <LEVEL> é 日本 👩‍🚀"
    assert.strictEqual(oneLine(text), text)
  })

  it("names the common controls", () => assert.strictEqual(oneLine("a\nb\rc\td"), "a\\nb\\rc\\td"))

  const escaped: ReadonlyArray<readonly [string, string]> = [
    ["\u0000", "\\u0000"],
    ["\u001b", "\\u001b"],
    ["\u007f", "\\u007f"],
    ["\u0085", "\\u0085"],
    ["\u009f", "\\u009f"],
    ["\u2028", "\\u2028"],
    ["\u2029", "\\u2029"],
    ["\u200f", "\\u200f"],
    ["\u202e", "\\u202e"],
    ["\u2066", "\\u2066"],
    ["\ufeff", "\\ufeff"],
    ["\v", "\\u000b"],
    ["\u200b", "\\u200b"],
    ["\u00ad", "\\u00ad"],
    ["\u2060", "\\u2060"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\ud800", "\ufffd"]
  ]
  it.each(escaped)("escapes %j", (raw, written) => assert.strictEqual(oneLine(`a${raw}b`), `a${written}b`))
})

describe("promptBlock", () => {
  it("is one line behind a two-space prompt label", () =>
    assert.strictEqual(promptBlock("Verify and address"), "  prompt: Verify and address"))

  it.each(breaks)(
    "indents what follows a %s by four spaces",
    (_, at) => assert.strictEqual(promptBlock(`a${at}HandoffHuman: x`), "  prompt: a\n    HandoffHuman: x")
  )

  it("keeps the indentation a text brings along, behind its own", () =>
    assert.strictEqual(promptBlock("a\n  b\n\nc"), "  prompt: a\n      b\n    \n    c"))

  it("shows what is hidden in it and keeps tabs", () =>
    assert.strictEqual(
      promptBlock("FAIL\ta.ts \u001b[31mred\u009b0m\n\u202e\u{e0041}b"),
      "  prompt: FAIL\ta.ts \\u001b[31mred\\u009b0m\n    \\u202e\\u{e0041}b"
    ))

  it("stays a prompt line for an empty text", () => assert.strictEqual(promptBlock(""), "  prompt: "))
})
