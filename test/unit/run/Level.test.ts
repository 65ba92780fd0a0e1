// Level: the order of the rungs and the steps between them, written out.
// The tables are the contract's ladder, low < medium < high < xhigh, not read from the code.
import { assert, describe, it } from "vitest"
import { downTo, edge, isLevel, type Level, levels, up } from "../../../src/run/Level.ts"

const order = ["low", "medium", "high", "xhigh"] as const

describe("levels", () => {
  it("are the contract's tokens from the bottom to the ladder edge", () => {
    assert.deepStrictEqual(levels, order)
    assert.strictEqual(edge, "xhigh")
  })
})

describe("up", () => {
  const rows: ReadonlyArray<readonly [Level, Level]> = [
    ["low", "medium"],
    ["medium", "high"],
    ["high", "xhigh"],
    ["xhigh", "xhigh"]
  ]
  it.each(rows)("of %s is %s", (from, to) => assert.strictEqual(up(from), to))
})

describe("downTo", () => {
  const rows: ReadonlyArray<readonly [Level, Level, Level]> = [
    ["xhigh", "low", "high"],
    ["high", "low", "medium"],
    ["medium", "low", "low"],
    ["low", "low", "low"],
    ["xhigh", "high", "high"],
    ["high", "high", "high"],
    ["xhigh", "xhigh", "xhigh"],
    ["low", "high", "high"]
  ]
  it.each(rows)("of %s with the floor %s is %s", (from, floor, to) => assert.strictEqual(downTo(from, floor), to))
})

describe("isLevel", () => {
  it.each(order)("knows %s", (token) => assert.isTrue(isLevel(token)))
  it.each(["", "Low", "LOW", " low", "low ", "minimal", "max", "x-high", null, 0, undefined])(
    "refuses %j",
    (token) => assert.isFalse(isLevel(token))
  )
})
