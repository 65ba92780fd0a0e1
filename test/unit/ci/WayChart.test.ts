// WayChart: the chart, whole.
import { assert, it } from "vitest"
import { type Mark, type Point, pathChart } from "../../../src/ci/PathChart.ts"
import type { Level } from "../../../src/run/Level.ts"

const point = (level: Level, mark: Mark): Point => ({ level, mark })

it("has a row for each level on the way, the highest first, and says what its signs mean", () =>
  assert.deepStrictEqual(
    pathChart([point("low", "Issues"), point("low", "Clean"), point("high", "Failed"), point("high", "Unfinished")]),
    ["high   --!?", "low    xo--", "", "x issues, o clean, ! failed, ? unfinished"]
  ))

it("is bounded, and says what it leaves out", () => {
  const chart = pathChart([...Array(100).fill(point("low", "Issues")), ...Array(60).fill(point("medium", "Clean"))])
  assert.deepStrictEqual(chart, [`medium ${"o".repeat(60)}`, "", "o clean; 100 earlier batches are left out"])
})

it("is nothing for a way without a batch", () => assert.deepStrictEqual(pathChart([]), []))
