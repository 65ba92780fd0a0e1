// Ladder: the dispatch table of `--mark-retro-clean` for all 16 pairs, and where each transition leads.
// The one rule: the rows are written out from the contract; a row that code could compute is no test of the code.
import { assert, describe, it } from "vitest"
import { advance, atCeiling, drop, restart, retroCleanRow, type RetroCleanRow } from "../../../src/run/Ladder.ts"
import type { Level } from "../../../src/run/Level.ts"

const below = "BelowCeiling"
const at = "AtCeiling"
const above = "AboveCeiling"
const edge = "AtLadderEdge"

// One line a ceiling; the columns are the current levels low, medium, high, xhigh.
const table: ReadonlyArray<readonly [Level, ReadonlyArray<RetroCleanRow>]> = [
  ["low", [at, above, above, edge]],
  ["medium", [below, at, above, edge]],
  ["high", [below, below, at, edge]],
  ["xhigh", [below, below, below, at]]
]

const columns: ReadonlyArray<Level> = ["low", "medium", "high", "xhigh"]

describe("retroCleanRow", () => {
  for (const [ceiling, rows] of table) {
    rows.forEach((row, i) => {
      const current = columns[i] ?? "low"
      it(`with ceiling ${ceiling} at ${current} is ${row}`, () => {
        assert.strictEqual(retroCleanRow({ ceiling, current }), row)
        assert.strictEqual(atCeiling({ ceiling, current }), row === at)
      })
    })
  }
})

describe("transitions", () => {
  it("advance is bounded by the ladder edge, not by the ceiling", () => {
    assert.deepStrictEqual(columns.map((current) => advance({ current })), ["medium", "high", "xhigh", "xhigh"])
  })

  it("drop is one rung down, clamped at the floor", () => {
    assert.deepStrictEqual(columns.map((current) => drop({ current, floor: "low" })), ["low", "low", "medium", "high"])
    assert.strictEqual(drop({ current: "high", floor: "high" }), "high")
    assert.strictEqual(drop({ current: "xhigh", floor: "high" }), "high")
  })

  it("restart lands on the floor from everywhere", () => {
    assert.deepStrictEqual(columns.map((floor) => restart({ floor })), columns)
  })
})
