// Fault: the first of many, and its one line.
import { assert, describe, it } from "vitest"
import { firstOf, problemOf } from "../../../../src/core/plan/Fault.ts"

describe("a fault", () => {
  it("comes first by its place, then by when it was found", () => {
    const [late, early, again] = [{ at: 5, says: "late" }, { at: 2, says: "early" }, { at: 2, says: "again" }]
    assert.strictEqual(firstOf([late, early, again]), early)
    assert.isUndefined(firstOf([]))
  })

  it.each([[0, 1, 1], [2, 1, 3], [3, 2, 1], [4, 3, 1], [5, 3, 2]])(
    "at %i stands in line %i, column %i",
    (at, line, column) =>
      assert.strictEqual(problemOf("ab\n\nc", { at, says: "x" }), `line ${line}, column ${column}: x`)
  )

  it("keeps to one line of some length, whatever it quotes", () => {
    assert.strictEqual(problemOf("", { at: 0, says: "a\nb\u202e" }), "line 1, column 1: a\\nb\\u202e")
    assert.lengthOf(problemOf("", { at: 0, says: "a".repeat(999) }), "line 1, column 1: ".length + 400)
  })
})
