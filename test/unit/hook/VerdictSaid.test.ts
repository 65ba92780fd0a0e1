// VerdictSaid: what one line says, and whether it is the first.
import { assert, describe, it } from "vitest"
import { lineVerdict } from "../../../src/hook/Verdict.ts"

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
