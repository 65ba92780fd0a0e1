// Queries: whether a plan is done, and what is pending in which order.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { type IndexedTask, isDone, pendingTasks, type Plan } from "../../../../../src/drive/plan/file/Plan.ts"
import { readPlan } from "../../../../../src/drive/plan/file/Document.ts"

/** A plan whose tasks wait for others; those that are done have a mark behind. */
const planOf = (...tasks: ReadonlyArray<readonly [ReadonlyArray<number>, "done"?]>): Plan =>
  Result.getOrThrow(readPlan(JSON.stringify({
    tasks: tasks.map(([dependencies, done]) => ({ title: "A", description: "a", dependencies, done: done === "done" }))
  }))).plan

const indexes = (tasks: ReadonlyArray<IndexedTask>): ReadonlyArray<number> => tasks.map(({ index }) => index)

describe("a plan", () => {
  it("is done when all its tasks are, whatever its status says", () => {
    assert.isTrue(isDone(planOf()))
    assert.isTrue(isDone({ ...planOf([[], "done"]), status: "pending" }))
    assert.isFalse(isDone({ ...planOf([[], "done"], [[]]), status: "done" }))
  })

  const plans: ReadonlyArray<readonly [Plan, ReadonlyArray<number>]> = [
    [planOf(), []],
    [planOf([[]], [[]], [[]]), [0, 1, 2]],
    [planOf([[2]], [[]], [[3, 1]], [[]]), [3, 1, 2, 0]],
    [planOf([[], "done"], [[2]], [[0]]), [2, 1]],
    // A task that is done was marked before what it waits for: that still comes before what waits for the task.
    [planOf([[1]], [[2], "done"], [[]]), [2, 0]]
  ]
  it.each(plans)("%# has pending tasks", (plan, pending) => {
    assert.deepStrictEqual(indexes(pendingTasks(plan)), pending)
    assert.isTrue(pendingTasks(plan).every(({ index, task }) => plan.tasks[index] === task))
  })

  it("may be a row of thousands", () => {
    const count = 20_000
    const row = planOf(...Array.from({ length: count }, (_, i) => [i === count - 1 ? [] : [i + 1]] as const))
    assert.deepStrictEqual(indexes(pendingTasks(row)).slice(0, 2), [count - 1, count - 2])
  })
})
