// Json: unknown values read as what they should be, and values written as JSON that hides nothing.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Fields from "../../../src/text/Json.ts"
import { canonicalJson, jsonText } from "../../../src/text/Json.ts"

describe("an unknown value", () => {
  const values = [{}, [], null, "a", 1, 1.5, Number.NaN, Infinity, undefined]

  it("has no list and no null for an object", () => {
    assert.deepStrictEqual(values.filter(Fields.isFields), [{}])
    assert.deepStrictEqual(Fields.objectsOf([{ a: 1 }, [], null, 3]), [{ a: 1 }])
    assert.deepStrictEqual(Fields.objectsOf({ a: 1 }), [])
    assert.deepStrictEqual(Fields.listOf("ab"), [])
  })

  it("reads texts", () => {
    assert.deepStrictEqual(["a", 1, null].map(Fields.textOf), ["a", "", ""])
    assert.deepStrictEqual(["a", 1, null].map(Fields.textOrNull), ["a", null, null])
  })

  it("reads numbers that can be counted with", () => {
    assert.deepStrictEqual([1, 1.5, 2 ** 60, Number.NaN, "1"].map(Fields.wholeOrNull), [1, null, null, null, null])
    assert.deepStrictEqual([1.5, Infinity, Number.NaN, "1"].map(Fields.numberOrNull), [1.5, null, null, null])
  })
})

const hidden = "\u0000\u001b[2J\u007f\u009b1A\u2028\u202e\u200b\u00ad\u2060\u{e0041}\u{e0100}\ufeff\ud800"

describe("jsonText", () => {
  it("writes every hidden character as an escape of JSON, which parses back", () => {
    const text = jsonText({ [hidden]: [hidden] })
    assert.match(text, /^[ -~]+$/)
    assert.deepStrictEqual(JSON.parse(text), { [hidden]: [hidden] })
    assert.include(jsonText("\u{e0041}"), "\\udb40\\udc41")
  })

  it("is what JSON.stringify writes where nothing is hidden", () => {
    const value = { text: 'ü 漢字 👩‍🚀 "x" \\ \n \t', list: [1, null, true] }
    assert.strictEqual(jsonText(value), JSON.stringify(value))
    assert.strictEqual(jsonText(value, 2), JSON.stringify(value, null, 2))
  })

  it("keeps the lines of an indented document, and no other break", () =>
    assert.strictEqual(jsonText({ a: "x\ny\u2028z" }, 2), '{\n  "a": "x\\ny\\u2028z"\n}'))
})

describe("canonicalJson", () => {
  it("is one text for values that differ in the order of their keys alone", () => {
    assert.strictEqual(canonicalJson({ b: [1, { d: 2, c: "x" }], a: null }), '{"a":null,"b":[1,{"c":"x","d":2}]}')
    assert.notStrictEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
    assert.notStrictEqual(canonicalJson(["a,b"]), canonicalJson(["a", "b"]))
    assert.strictEqual(canonicalJson(Array.from({ length: 12 }, (_, i) => i)), "[0,1,2,3,4,5,6,7,8,9,10,11]")
  })

  it("parses to the value", () =>
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value))
      assert.deepStrictEqual(JSON.parse(canonicalJson(plain)), plain)
    })))

  it("reads a value that is nested deeper than a stack", () => {
    const depth = 200_000
    const text = canonicalJson(JSON.parse("[".repeat(depth) + "]".repeat(depth)))
    assert.lengthOf(text, 2 * depth)
  })

  it("leaves nothing to chance for what is no JSON", () =>
    assert.strictEqual(canonicalJson([undefined, 10n, Number.NaN]), "[null,10,null]"))
})
