// Orders: the prompt, thread and permissions of each agent of a cycle that may write.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import type { WorkTask } from "../../../../src/drive/Tasks.ts"
import { contextOf, workOrder } from "../../../../src/drive/plan/Orders.ts"
import { roundOf } from "../../../../src/drive/Drive.ts"
import { planNow } from "../../../../src/drive/plan/Drive.ts"
import { cycleStarted, taken, tested, worked } from "./histories.ts"
import { inWorld } from "./plans.ts"
import { workingRun } from "./workings.ts"

const implemented: ReadonlyArray<PlanEvent> = [cycleStarted(), ...worked(1, "cycle-1/implement"), taken(1, [0])]

const ordered = (events: ReadonlyArray<PlanEvent>, step: WorkTask, after = 0, fixes = "") =>
  inWorld(
    {},
    Effect.gen(function*() {
      const working = yield* workingRun(events, {}, { maxTokens: 5000, protect: ["*.sql"] })
      const { plan } = yield* planNow(working)
      return yield* workOrder(working, plan, yield* roundOf(working, 1), step, after, fixes)
    })
  )

describe("the order for an agent", () => {
  it("gives an implementer its tasks, and asks for work", async () => {
    const { budget, mustWork, task, thread } = await ordered([cycleStarted()], "implement")
    assert.deepInclude(task, { role: "worker", taskId: "cycle-1/implement", sandbox: "workspace-write", cwd: "/repo" })
    for (const words of ["Add two numbers.", "DONE: <index>", "*.sql", "npm test"]) assert.include(task.prompt, words)
    assert.deepStrictEqual([budget, mustWork, thread], [5000, true, undefined])
  })

  it("gives a tester and a fixer the finished and the pending work", async () => {
    const test = await ordered(implemented, "test")
    assert.include(test.task.prompt, "Fixed.")
    assert.isFalse(test.mustWork)
    const fix = await ordered(implemented, "fix-1", 0, "Start at zero.")
    assert.include(fix.task.prompt, "Start at zero.")
  })

  it("continues the thread of the last worker if tests fail", async () => {
    const red = [...implemented, ...tested(1, 1, 1), ...tested(2, 1, 1)]
    const { task, thread } = await ordered(red, "mend-1")
    assert.strictEqual(thread, "t1")
    assert.include(task.prompt, "npm test")
  })

  it("asks for the rest of the work, on the same thread", async () => {
    const gaps = [cycleStarted(), ...worked(1, "cycle-1/implement", "remediate")]
    const { after, task, thread } = await ordered(gaps, "implement", 1)
    assert.deepStrictEqual([after, thread], [1, "t1"])
    assert.include(task.prompt, "DONE: <index>")
  })
})

describe("a plan in a prompt", () => {
  it("has the selected tasks, the other pending ones, and the words of each agent", async () => {
    const { pending, plan, saidBy, tasks } = await inWorld(
      {},
      Effect.gen(function*() {
        const working = yield* workingRun(implemented)
        return contextOf(working, (yield* planNow(working)).plan, yield* roundOf(working, 1), [1, 9])
      })
    )
    assert.strictEqual(plan.title, "Sums")
    assert.deepStrictEqual(tasks.map(({ index, title }) => [index, title]), [[1, "Sum"]])
    assert.deepStrictEqual(pending.map(({ index, title }) => [index, title]), [[0, "Add"]])
    assert.include(saidBy("implement"), "Fixed.")
    assert.strictEqual(saidBy("test"), "")
  })
})
