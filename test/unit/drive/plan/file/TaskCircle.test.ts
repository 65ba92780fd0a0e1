// TaskCircle: circles of tasks, and orders that have none.
import { assert, describe, it } from "vitest"
import { circleOf } from "../../../../../src/drive/plan/file/Parse.ts"

describe("tasks", () => {
  const orders: ReadonlyArray<readonly [ReadonlyArray<ReadonlyArray<number>>, ReadonlyArray<number> | null]> = [
    [[], null],
    [[[], [0], [0, 1], [2, 0]], null],
    [[[1], [2], []], null],
    [[[1, 1], []], null],
    [[[1], [0]], [0, 1]],
    [[[1], [2], [3], [1]], [1, 2, 3]],
    [[[3, 1], [2], [0], []], [0, 1, 2]],
    [[[], [0], [4], [2], [3]], [2, 4, 3]]
  ]
  it.each(orders)(
    "that wait %j have the circle %j",
    (dependencies, circle) => assert.deepStrictEqual(circleOf(dependencies), circle)
  )

  it("in a row of thousands are followed to its end", () => {
    const row = Array.from({ length: 50_000 }, (_, i) => i === 0 ? [] : [i - 1])
    assert.isNull(circleOf(row))
    assert.lengthOf(circleOf(row.map((needed, i) => i === 0 ? [row.length - 1] : needed)) ?? [], row.length)
  })
})
