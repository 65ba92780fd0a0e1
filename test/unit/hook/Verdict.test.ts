// Verdict: what a review says, as the asked object or as text; the cases are data in fixtures/hook/verdicts.json.
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { lineVerdict, parseHookVerdict, readHookReview, reviewSchema } from "../../../src/hook/Verdict.ts"

const cases: ReadonlyArray<readonly [string, string]> = JSON.parse(
  readFileSync(new URL("../../../fixtures/hook/verdicts.json", import.meta.url), "utf8")
)

describe("the verdict of", () => {
  it.each(cases)("%j is %s", (text, verdict) => assert.strictEqual(parseHookVerdict(text), verdict))

  it("any text is one of three", () =>
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.include(["PASS", "FAIL", "UNCERTAIN"], parseHookVerdict(text))
    })))

  it("a review is the same whatever follows its first five lines", () =>
    fc.assert(fc.property(fc.constantFrom("PASS", "FAIL: it leaks", "no verdict"), fc.string(), (head, rest) => {
      const text = `${head}\na\nb\nc\nd`
      assert.strictEqual(parseHookVerdict(`${text}\n${rest.trim()}x`), parseHookVerdict(text))
    })))

  it("a review that says both is never one of them", () => {
    const pass = fc.constantFrom("PASS", "Passed", "approve", "LGTM", "OK")
    const fail = fc.constantFrom("FAIL", "Failed", "reject", "BLOCKED")
    const joint = fc.constantFrom("/", " or ", " | ", ", ", " and ", "\n", "\n\n")
    fc.assert(fc.property(pass, fail, joint, fc.boolean(), (one, other, between, turned) => {
      const text = turned ? `${other}${between}${one}` : `${one}${between}${other}`
      assert.strictEqual(parseHookVerdict(text), "UNCERTAIN")
    }))
  })

  it.each(["PASS/FAIL/", "PASS or ", "1.", "[", "{", "PASS with a ", "verdict:", "PASS -"].map((part) => [part]))(
    "%j, repeated to millions of characters, is told",
    (part) => assert.include(["PASS", "UNCERTAIN"], parseHookVerdict(part.repeat(1_000_000)))
  )
})

describe("a review", () => {
  it.each([
    ['{"verdict":"FAIL","review":"- a"}', "FAIL", "- a"],
    [' {"verdict":"PASS","review":""}\n', "PASS", ""],
    ["PASS", "PASS", ""],
    ["**FAIL**\n- a\n- b", "FAIL", "- a\n- b"],
    ["Verdict: FAIL\n\n- a", "FAIL", "- a"],
    ["FAIL: it is wrong\n- a", "FAIL", "FAIL: it is wrong\n- a"],
    ["I cannot say.", "UNCERTAIN", "I cannot say."],
    ['{"verdict":"FAIL","verdict":"PASS","review":"- a"}', "UNCERTAIN", "- a"],
    ['{"verdict":"PASS","review":"FAIL: it leaks"}', "UNCERTAIN", "FAIL: it leaks"],
    ['{"verdict":"FAIL","review":"PASS"}', "FAIL", "PASS"],
    ["", "UNCERTAIN", ""]
  ])("%s", (text, verdict, words) => assert.deepStrictEqual(readHookReview(text), { verdict, text: words }))

  it("is asked for in a form whose every property is required", () => {
    assert.deepStrictEqual(Object.keys(reviewSchema.properties), [...reviewSchema.required])
    assert.isFalse(reviewSchema.additionalProperties)
  })
})

const told = (line: string, first: boolean): string => {
  const read = lineVerdict(line, first)
  return read._tag === "Verdict" ? `${read.said}${read.firm ? "!" : ""}` : read._tag
}

describe("a line", () => {
  it.each([
    ["PASS", "PASS!", "PASS!"],
    ["Verdict: FAIL - it leaks", "FAIL!", "FAIL!"],
    ["FAIL: it leaks", "FAIL", "FAIL"],
    ["FAILED in two places", "FAIL", "Nothing"],
    ["PASS is not warranted", "Doubt", "Nothing"],
    ["Not approved", "Doubt", "Nothing"],
    ["Verdict: not approved", "Doubt", "Doubt"],
    ["PASS or FAIL", "Doubt", "Doubt"],
    ["OK: fine", "PASS", "Nothing"],
    ["OK, fine", "Nothing", "Nothing"],
    ["Pass the token", "Nothing", "Nothing"]
  ])("%s says %s at first and %s later", (line, first, later) => {
    assert.strictEqual(told(line, true), first)
    assert.strictEqual(told(line, false), later)
  })
})
