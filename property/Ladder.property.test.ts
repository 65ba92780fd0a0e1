// Ladder: the laws of the order, of the dispatch rows and of the transitions.
// The rows are written here as the contract's conditions, independent of how the code distinguishes them.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Ladder, RetroCleanRow } from "../src/run/Ladder.ts"
import { advance, atCeiling, drop, restart, retroCleanRow } from "../src/run/Ladder.ts"
import { compare, downTo, edge, levels, rank, up } from "../src/run/Level.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const { ladder, level } = arbitraries

// The contract's four conditions on (current, ceiling), each on its own.
const conditions: Record<RetroCleanRow, (at: Ladder) => boolean> = {
  BelowCeiling: ({ ceiling, current }) => rank(current) < rank(ceiling),
  AtCeiling: ({ ceiling, current }) => current === ceiling,
  AboveCeiling: ({ ceiling, current }) => rank(current) > rank(ceiling) && rank(current) < rank("xhigh"),
  AtLadderEdge: ({ ceiling, current }) => current === "xhigh" && ceiling !== "xhigh"
}

const edges: Array<[Ladder]> = [
  [{ floor: "low", ceiling: "low", current: "low" }],
  [{ floor: "low", ceiling: "xhigh", current: "xhigh" }],
  [{ floor: "low", ceiling: "low", current: "xhigh" }],
  [{ floor: "xhigh", ceiling: "xhigh", current: "xhigh" }],
  [{ floor: "low", ceiling: "high", current: "xhigh" }],
  [{ floor: "low", ceiling: "medium", current: "high" }]
]

describe("the rows of --mark-retro-clean", () => {
  it("partition every floor, ceiling and current level: exactly one condition holds, and it is the row", () =>
    fc.assert(
      fc.property(ladder(), (at) => {
        const holding = Object.entries(conditions).filter(([, holds]) => holds(at)).map(([row]) => row)
        assert.deepStrictEqual(holding, [retroCleanRow(at)])
      }),
      { examples: edges }
    ))

  it("do so over the whole domain, every ceiling and current level", () => {
    const seen = new Set<RetroCleanRow>()
    for (const ceiling of levels) {
      for (const current of levels) {
        const at = { floor: current, ceiling, current }
        seen.add(retroCleanRow(at))
        assert.lengthOf(Object.values(conditions).filter((holds) => holds(at)), 1)
        assert.isTrue(conditions[retroCleanRow(at)](at))
      }
    }
    assert.lengthOf([...seen], 4)
  })

  it("halt at the ceiling and nowhere else", () =>
    fc.assert(
      fc.property(ladder(), (at) => assert.strictEqual(atCeiling(at), retroCleanRow(at) === "AtCeiling")),
      { examples: edges }
    ))
})

describe("transitions", () => {
  it("drop and restart never go below the floor, advance never above xhigh", () =>
    fc.assert(
      fc.property(ladder(), (at) => {
        for (const next of [drop(at), restart(at), advance(at)]) {
          assert.isAtLeast(rank(next), rank(at.floor))
          assert.isAtMost(rank(next), rank(edge))
        }
      }),
      { examples: edges }
    ))

  it("drop goes down by one rung or stays at the floor; advance goes up by one rung or stays at the edge", () =>
    fc.assert(
      fc.property(ladder(), (at) => {
        assert.strictEqual(rank(drop(at)), Math.max(rank(at.floor), rank(at.current) - 1))
        assert.strictEqual(rank(advance(at)), Math.min(rank(edge), rank(at.current) + 1))
        assert.strictEqual(restart(at), at.floor)
      }),
      { examples: edges }
    ))

  it("drop undoes advance wherever advance moves", () =>
    fc.assert(fc.property(ladder(), (at) => {
      fc.pre(at.current !== edge)
      assert.strictEqual(drop({ ...at, current: advance(at) }), at.current)
    })))
})

describe("the order of levels", () => {
  it("is total: antisymmetric, transitive, and equal for equal levels only", () =>
    fc.assert(fc.property(level, level, level, (a, b, c) => {
      assert.strictEqual(Math.sign(compare(a, b)), 0 - Math.sign(compare(b, a)))
      assert.strictEqual(compare(a, b) === 0, a === b)
      if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.isAtMost(compare(a, c), 0)
    })))

  it("is kept by up and downTo", () =>
    fc.assert(fc.property(level, level, level, (a, b, floor) => {
      fc.pre(compare(a, b) <= 0)
      assert.isAtMost(compare(up(a), up(b)), 0)
      assert.isAtMost(compare(downTo(a, floor), downTo(b, floor)), 0)
    })))
})
