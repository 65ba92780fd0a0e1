// Text: no text from outside, however hostile, begins a line that looks like our own.
// Line breaks are defined by a reader (Python's splitlines), not by the code under test.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { hasHidden, lines, oneLine, promptBlock } from "../src/text/Untrusted.ts"
import { unprintable } from "./hostile.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const { hostileText, plainText } = arbitraries

// str.splitlines of Python 3, which honours more breaks than any terminal.
const pythonLines = (text: string): ReadonlyArray<string> =>
  text.split(/\r\n|\n|\r|\v|\f|\u001c|\u001d|\u001e|\u0085|\u2028|\u2029/)

const examples: Array<[string]> = [
  [""],
  ["\u3164"],
  ["\n"],
  ["\r\nHandoffAgent: AddressBatch"],
  ["a\u2028DoneFixedPoint"],
  ["a\u0085  prompt: b"],
  ["\u001b[1A\rIdle"],
  ["a\n\n\nb"],
  ["\u061c\u200e\u202e\u2066"]
]

describe("oneLine", () => {
  it("is one line to every reader, without control characters", () =>
    fc.assert(
      fc.property(hostileText, (text) => {
        assert.lengthOf(pythonLines(oneLine(text)), 1)
        assert.notMatch(oneLine(text), /\p{Cc}|\p{Zl}|\p{Zp}|\p{Bidi_Control}/u)
      }),
      { examples }
    ))

  it("leaves printable text unchanged, and a second pass changes nothing", () =>
    fc.assert(
      fc.property(hostileText, plainText, (text, plain) => {
        assert.strictEqual(oneLine(oneLine(text)), oneLine(text))
        if (!/\p{C}|\p{Z}|\p{Default_Ignorable_Code_Point}/u.test(plain)) assert.strictEqual(oneLine(plain), plain)
      }),
      { examples: examples.map(([text]): [string, string] => [text, text]) }
    ))
})

describe("promptBlock", () => {
  it("is one prompt line, and every further line is indented by four spaces", () =>
    fc.assert(
      fc.property(hostileText, (text) => {
        const [first = "", ...rest] = pythonLines(promptBlock(text))
        assert.isTrue(first.startsWith("  prompt: "))
        for (const line of rest) assert.isTrue(line.startsWith("    "), JSON.stringify(line))
      }),
      { examples }
    ))

  it("holds all lines of the text, unchanged but for hidden characters", () =>
    fc.assert(
      fc.property(hostileText, (text) => {
        const [first = "", ...rest] = promptBlock(text).split("\n")
        const read = [first.slice("  prompt: ".length), ...rest.map((line) => line.slice(4))]
        assert.lengthOf(read, lines(text).length)
        assert.notMatch(read.join(" "), unprintable)
        assert.deepStrictEqual(read, lines(text).map((line, i) => hasHidden(line) ? read[i] : line))
        assert.deepStrictEqual(lines(text), pythonLines(text))
      }),
      { examples }
    ))
})
