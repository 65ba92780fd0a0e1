// TaskChoice: which tasks of a plan are worked on, and why selected tasks cannot be.
import { assert, describe, it } from "vitest"
import { inPlay, neededToo, unknownNames, wantedError } from "../../../../src/drive/plan/TaskChoice.ts"
import type { Wanted } from "../../../../src/drive/plan/Settings.ts"
import { parsePlan } from "../../../../src/drive/plan/file/Document.ts"

type Task = readonly [title: string, done: boolean, dependencies: ReadonlyArray<number>]

const plan = (...tasks: ReadonlyArray<Task>) => {
  const all = tasks.map(([title, done, dependencies]) => ({ title, description: "d", done, dependencies }))
  const parsed = parsePlan(JSON.stringify({ tasks: all }))
  return parsed.ok ? parsed.plan : assert.fail(parsed.problem)
}
const all: Wanted = { _tag: "All" }
const four = plan(["Last", false, [1, 2]], ["First", false, []], ["Done", true, []], ["Second", false, [1]])
const indexes = (wanted: Wanted = all, marked = 0) => inPlay(four, wanted, marked).map(({ index }) => index)

describe("tasks in work", () => {
  it("are the pending ones, each after its dependencies", () => {
    assert.deepStrictEqual(indexes(), [1, 0, 3])
    assert.deepStrictEqual(inPlay(plan(["Done", true, []]), all), [])
    // A finished task blocks nothing, whatever its own dependencies are.
    assert.deepStrictEqual(inPlay(plan(["A", true, [1]], ["B", false, []], ["C", false, [0]]), all), [
      { index: 1, title: "B" },
      { index: 2, title: "C" }
    ])
    assert.deepStrictEqual(
      inPlay(plan(["A", true, [1]], ["B", false, []], ["C", false, [0]]), { _tag: "Named", names: ["C"] }),
      [
        { index: 2, title: "C" }
      ]
    )
  })

  it("are limited in number, less those that are marked already", () => {
    assert.deepStrictEqual(indexes({ _tag: "AtMost", count: 2 }), [1, 0])
    assert.deepStrictEqual(indexes({ _tag: "AtMost", count: 2 }, 1), [1])
    assert.deepStrictEqual(indexes({ _tag: "AtMost", count: 2 }, 3), [])
  })

  it("are the selected ones, unless they depend on a pending one that is not selected", () => {
    assert.deepStrictEqual(indexes({ _tag: "Named", names: ["Second", " First "] }), [1, 3])
    assert.deepStrictEqual(indexes({ _tag: "Named", names: ["1"] }), [1])
    assert.deepStrictEqual(indexes({ _tag: "Named", names: ["Last"] }), [])
    assert.deepStrictEqual(unknownNames(four, { _tag: "Named", names: ["Last", "4", "0", "other"] }), ["4", "other"])
    assert.deepStrictEqual(unknownNames(four, all), [])
    assert.deepStrictEqual(neededToo(four, { _tag: "Named", names: ["Last"] }), [1])
    assert.deepStrictEqual(neededToo(four, { _tag: "Named", names: ["Second", "First", "Done"] }), [])
    assert.deepStrictEqual(neededToo(four, all), [])
    const row = plan(["A", false, []], ["B", false, [0]], ["C", false, [1]], ["D", true, [2]])
    assert.deepStrictEqual(neededToo(row, { _tag: "Named", names: ["C"] }), [0, 1])
    assert.deepStrictEqual(neededToo(row, { _tag: "Named", names: ["D"] }), [])
  })

  it("are limited to what fits in one prompt and one event", () => {
    const many = plan(...Array.from({ length: 500 }, (_, i): Task => [`T${i}`, false, i === 0 ? [] : [i - 1]]))
    assert.deepStrictEqual(inPlay(many, all).map(({ index }) => index), Array.from({ length: 200 }, (_, i) => i))
    const long = inPlay(plan(...Array.from({ length: 50 }, (): Task => ["\u0001".repeat(5000), false, []])), all)
    assert.isAbove(long.length, 0)
    assert.isBelow(JSON.stringify(long).length, 41_000)
  })
})

const task = (title: string, ...dependencies: ReadonlyArray<number>) => ({ title, description: "d", dependencies })
const message = (wanted: Wanted, ...tasks: ReadonlyArray<object>) => {
  const parsed = parsePlan(JSON.stringify({ tasks }))
  return parsed.ok ? wantedError(parsed.plan, wanted)?.message ?? null : assert.fail(parsed.problem)
}
const two = [task("Add"), task("Sum", 0)]

describe("selected tasks", () => {
  it("are named by titles or indexes", () => {
    assert.isNull(message({ _tag: "All" }, ...two))
    assert.isNull(message({ _tag: "Named", names: ["Add", "1"] }, ...two))
    assert.strictEqual(
      message({ _tag: "Named", names: ["Add", "Divide", "2"] }, ...two),
      "the plan has no task named Divide, 2 [use a title, or an index from 0]"
    )
  })

  it("depend on no pending task that is not selected", () => {
    assert.strictEqual(
      message({ _tag: "Named", names: ["Sum"] }, ...two),
      "the chosen tasks wait for others that are pending: 0 [add these to --tasks]"
    )
    assert.isNull(message({ _tag: "Named", names: ["Sum"] }, { ...task("Add"), done: true }, task("Sum", 0)))
  })
})
