// Ladder: levels, and where a run can stand between its floor and the end of the ladder.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { compare, levels } from "../../../../src/run/Level.ts"
import { ladder, level, levelFrom } from "../../../../src/testing/arbitraries/Values.ts"
import { drawn, least } from "./drawn.ts"

describe("a level", () => {
  it("is any, and shrinks towards low", () => {
    assert.sameMembers([...new Set(drawn(level))], [...levels])
    assert.strictEqual(least(level), "low")
  })

  it("from a floor on is not below it, and shrinks towards it", () => {
    assert.sameMembers([...new Set(drawn(levelFrom("high")))], ["high", "xhigh"])
    assert.strictEqual(least(levelFrom("high")), "high")
  })
})

describe("a ladder", () => {
  it("stands at or above its floor: below the ceiling, at it, and above it", () => {
    const all = drawn(ladder())
    for (const { ceiling, current, floor } of all) {
      assert.isAtLeast(compare(ceiling, floor), 0)
      assert.isAtLeast(compare(current, floor), 0)
    }
    assert.sameMembers([...new Set(all.map(({ ceiling, current }) => Math.sign(compare(current, ceiling))))], [
      -1,
      0,
      1
    ])
  })

  it("has the floor that is asked for", () =>
    assert.isTrue(drawn(ladder({ floor: fc.constant("medium") }), 50).every(({ floor }) => floor === "medium")))
})
