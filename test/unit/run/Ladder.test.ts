// Ladder: the dispatch table of `--mark-retro-clean` for all 16 pairs; property/Ladder has the laws of transitions.
// The rows are written out from the contract; the code must not compute them.
import { assert, describe, it } from "vitest"
import { atCeiling, retroCleanRow, type RetroCleanRow } from "../../../src/run/Ladder.ts"
import type { Level } from "../../../src/run/Level.ts"

const below = "BelowCeiling"
const at = "AtCeiling"
const above = "AboveCeiling"
const edge = "AtLadderEdge"

// One line per ceiling; the columns are the current levels low, medium, high, xhigh.
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
