// WantedError: what stands against working on the tasks that are wanted, on one line that says what to do.
import { assert, describe, it } from "vitest"
import type { Wanted } from "../../../../src/drive/plan/Settings.ts"
import { wantedError } from "../../../../src/drive/plan/TaskChoice.ts"
import { parsePlan } from "../../../../src/drive/plan/file/Parse.ts"

const task = (title: string, ...dependencies: ReadonlyArray<number>) => ({ title, description: "d", dependencies })
const message = (wanted: Wanted, ...tasks: ReadonlyArray<object>) => {
  const parsed = parsePlan(JSON.stringify({ tasks }))
  return parsed.ok ? wantedError(parsed.plan, wanted)?.message ?? null : assert.fail(parsed.problem)
}
const two = [task("Add"), task("Sum", 0)]

describe("tasks that are wanted", () => {
  it("are called by their titles or indexes", () => {
    assert.isNull(message({ _tag: "All" }, ...two))
    assert.isNull(message({ _tag: "Named", names: ["Add", "1"] }, ...two))
    assert.strictEqual(
      message({ _tag: "Named", names: ["Add", "Divide", "2"] }, ...two),
      "no task of the plan is called so: Divide, 2 [name a title or an index from 0]"
    )
  })

  it("wait for nothing pending that is not wanted", () => {
    assert.strictEqual(
      message({ _tag: "Named", names: ["Sum"] }, ...two),
      "the tasks that are wanted wait for others that are pending: 0 [name these too, by --tasks]"
    )
    assert.isNull(message({ _tag: "Named", names: ["Sum"] }, { ...task("Add"), done: true }, task("Sum", 0)))
  })
})
