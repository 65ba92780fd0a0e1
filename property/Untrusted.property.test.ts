// Untrusted: whatever a text holds, it stays in its line, its fence and its length, and JSON stays the same JSON.
// Fences are read as CommonMark reads them, by a reader of its own.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { jsonText } from "../src/text/Json.ts"
import { brief, cut, excerpt, fenced, lines, oneLine, tail } from "../src/text/Untrusted.ts"
import { outside } from "./fences.ts"
import { nasty, unprintable } from "./hostile.ts"

const any = fc.oneof(nasty, fc.string({ unit: "binary" }))

describe("fenced", () => {
  it("cannot be closed from inside, nor begin a line", () =>
    fc.assert(fc.property(any, fc.nat(200), (text, most) => {
      for (const block of [fenced(text), fenced(text, most)]) {
        const document = `before\n${block}\nbehind`
        assert.deepStrictEqual(outside(document), ["before", "behind"])
        assert.isTrue(block.split("\n").slice(1, -1).every((line) => line === "|" || line.startsWith("| ")))
        assert.notMatch(block.replace(/\t/g, ""), unprintable)
        // A reader that looks for the marks alone finds the two that are ours.
        assert.lengthOf(block.split(/^`{3,}/m), 3)
        const [mark = ""] = /^`+/.exec(block) ?? []
        assert.lengthOf(block.split(mark), 3)
      }
    })))
})

describe("a printed text", () => {
  it("is one line without anything that does not show", () =>
    fc.assert(fc.property(any, (text) => {
      assert.notMatch(oneLine(text), unprintable)
      assert.notInclude(oneLine(text), "\n")
    })))

  it("is left as it is when all of it shows", () =>
    fc.assert(fc.property(fc.stringMatching(/^[ -~äöü漢字🔴]*$/u), (text) => assert.strictEqual(oneLine(text), text))))

  it("keeps to its length", () =>
    fc.assert(fc.property(any, fc.integer({ min: 4, max: 40 }), (text, most) => {
      assert.isAtMost(brief(text, most).length, most)
      assert.isTrue(text.startsWith(cut(text, most)))
      const shown = excerpt(text, most)
      assert.isAtMost(shown.lines.join("\n").length, most + 1)
      if (shown.whole) assert.isAtMost(text.length, most)
    })))

  it("is never cut within a character", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, most) =>
        assert.isTrue(cut(text, most).isWellFormed() && tail(text, most + 1).isWellFormed()))
    ))
})

describe("jsonText", () => {
  it("is the same value on one printable line", () =>
    fc.assert(fc.property(fc.dictionary(any, any), (value) => {
      const text = jsonText(value)
      assert.deepStrictEqual(JSON.parse(text), { ...value })
      assert.notMatch(text, unprintable)
      assert.lengthOf(lines(text), 1)
    })))
})
