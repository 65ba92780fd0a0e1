// Fault: the first of many, and its one line.
import { assert, describe, it } from "vitest"
import { type Fault, firstOf, problemOf } from "../../../../../src/drive/plan/file/Yaml.ts"

const fault = (at: number, says: string): Fault => ({ at, says, remedy: "mend it" })

describe("a fault", () => {
  it("comes first by its place, then by when it was found", () => {
    const [late, early, again] = [fault(5, "late"), fault(2, "early"), fault(2, "again")]
    assert.strictEqual(firstOf([late, early, again]), early)
    assert.isUndefined(firstOf([]))
  })

  it.each([[0, 1, 1], [2, 1, 3], [3, 2, 1], [4, 3, 1], [5, 3, 2]])(
    "at %i stands in line %i, column %i",
    (at, line, column) =>
      assert.strictEqual(problemOf("ab\n\nc", fault(at, "x")), `line ${line}, column ${column}: x [mend it]`)
  )

  it("keeps to one line of some length and to its remedy, whatever it quotes", () => {
    assert.strictEqual(problemOf("", fault(0, "a\nb\u202e")), "line 1, column 1: a\\nb\\u202e [mend it]")
    assert.strictEqual(
      problemOf("", fault(0, "a".repeat(999))),
      `line 1, column 1: ${"a".repeat(297)}... [mend it]`
    )
  })
})
