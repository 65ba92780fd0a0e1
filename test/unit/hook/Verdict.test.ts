// Verdict: the answer of the second model, as JSON or as text; most cases are data in fixtures/hook/verdicts.json.
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { lineVerdict, parseHookVerdict, readHookReview, reviewSchema } from "../../../src/hook/Verdict.ts"

const cases: ReadonlyArray<readonly [string, string]> = JSON.parse(
  readFileSync(new URL("../../../fixtures/hook/verdicts.json", import.meta.url), "utf8")
)

describe("the verdict of a text", () => {
  it.each(cases)("%j is %s", (text, verdict) => assert.strictEqual(parseHookVerdict(text), verdict))

  it("is PASS, FAIL or UNCERTAIN for any text", () =>
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.include(["PASS", "FAIL", "UNCERTAIN"], parseHookVerdict(text))
    })))

  it("depends only on the first five lines", () =>
    fc.assert(fc.property(fc.constantFrom("PASS", "FAIL: it leaks", "no verdict"), fc.string(), (head, rest) => {
      const text = `${head}\na\nb\nc\nd`
      assert.strictEqual(parseHookVerdict(`${text}\n${rest.trim()}x`), parseHookVerdict(text))
    })))

  it("is UNCERTAIN if the text says both PASS and FAIL", () => {
    const pass = fc.constantFrom("PASS", "Passed", "approve", "LGTM", "OK")
    const fail = fc.constantFrom("FAIL", "Failed", "reject", "BLOCKED")
    const joint = fc.constantFrom("/", " or ", " | ", ", ", " and ", "\n", "\n\n")
    fc.assert(fc.property(pass, fail, joint, fc.boolean(), (one, other, between, turned) => {
      const text = turned ? `${other}${between}${one}` : `${one}${between}${other}`
      assert.strictEqual(parseHookVerdict(text), "UNCERTAIN")
    }))
  })

  it.each(["PASS/FAIL/", "PASS or ", "1.", "[", "{", "PASS with a ", "verdict:", "PASS -"].map((part) => [part]))(
    "%j is read in linear time: a million copies still have a verdict",
    (part) => assert.include(["PASS", "UNCERTAIN"], parseHookVerdict(part.repeat(1_000_000)))
  )
})

describe("a review", () => {
  // answer, verdict, text without the line of the verdict
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
  ])(
    "%j is %s with the text %j",
    (text, verdict, words) => assert.deepStrictEqual(readHookReview(text), { verdict, text: words })
  )

  it("has a schema with only required properties, because codex refuses others", () => {
    assert.deepStrictEqual(Object.keys(reviewSchema.properties), [...reviewSchema.required])
    assert.isFalse(reviewSchema.additionalProperties)
  })
})

/** The verdict of a line; a firm one, which is the whole line or follows a label, ends in `!`. */
const verdictOf = (line: string, first: boolean): string => {
  const read = lineVerdict(line, first)
  return read._tag === "Verdict" ? `${read.said}${read.firm ? "!" : ""}` : read._tag
}

describe("a line of a review", () => {
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
  ])("%j says %s as the first line and %s as a later one", (line, first, later) => {
    assert.strictEqual(verdictOf(line, true), first)
    assert.strictEqual(verdictOf(line, false), later)
  })
})
