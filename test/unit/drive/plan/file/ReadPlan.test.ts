// ReadPlan: a plan from a tree, and its first fault.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { readPlan } from "../../../../../src/drive/plan/file/Parse.ts"
import { readYaml } from "../../../../../src/drive/plan/file/Yaml.ts"

const read = (yaml: string, below: string | null) => {
  const { root } = readYaml(yaml)
  return root === null ? assert.fail("no root") : readPlan(root, below)
}

describe("the details of a plan", () => {
  const details: ReadonlyArray<readonly [string, string | null, string | null]> = [
    ["tasks: []", null, null],
    ["tasks: []", " \n", null],
    ["tasks: []", "\n a\n", "\n a\n"],
    ["{tasks: [], details: b}", null, "b"],
    ["{tasks: [], details: b}", "\n", "b"],
    ["{tasks: [], details: }", "c", "c"]
  ]
  it.each(details)(
    "of %s and %j are %j",
    (yaml, below, expected) => assert.strictEqual(Result.getOrNull(read(yaml, below))?.details, expected)
  )
})

it("a task that waits for what is no task is no circle", () => {
  const task = (needed: string) => `{title: A, description: a, dependencies: [${needed}]}`
  const found = read(`tasks: [${task("1")}, ${task("9")}]`, null)
  assert.deepStrictEqual(Result.isFailure(found) ? found.failure : null, {
    at: 97,
    says: "tasks[1].dependencies[0] is 9",
    remedy: "write the index of another task, from 0 to 1, or nothing"
  })
})
