// HookVerdict: what reviews say in their first lines; the cases are data in fixtures/hook/verdicts.json.
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parseHookVerdict } from "../../../src/hook/Verdict.ts"

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
