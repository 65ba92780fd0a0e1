// JsonText: JSON that parses to the same value and hides nothing.
import { assert, describe, it } from "vitest"
import { jsonText } from "../../../../src/core/text/JsonText.ts"

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
