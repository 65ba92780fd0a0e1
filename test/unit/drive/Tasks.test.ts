// Tasks: the names of a round's tasks, and the agents that work on them.
import { assert, describe, it } from "vitest"
import {
  addressTaskId,
  type AddressTask,
  fixesOf,
  gapsUpTo,
  lastAgent,
  lastWorker,
  planTaskId,
  type PlanTask,
  testFixes
} from "../../../src/drive/Tasks.ts"
import { after, worked } from "./converge/streams.ts"
import * as plan from "./plan/histories.ts"

const state = after(worked(1, "round-1/address"), worked(2, "round-1/mend-1"), worked(3, "round-12/address"))

describe("the tasks of a round", () => {
  it.each<[AddressTask, string]>([
    ["address", "round-1/address"],
    ["mend-2", "round-1/mend-2"],
    ["retrospective", "round-1/retrospective"],
    ["patterns", "round-1/patterns"]
  ])("are named %o", (task, name) => assert.strictEqual(addressTaskId(1, task), name))

  it("are worked on by the agents of that round only", () => {
    assert.strictEqual(lastAgent(state, 1)?.agent, 2)
    assert.strictEqual(lastAgent(state, 1, "address")?.agent, 1)
    assert.strictEqual(lastAgent(state, 12)?.agent, 3)
    assert.isNull(lastAgent(state, 2))
  })

  it("are asked again after the last answer with gaps, whatever happened to agents since", () => {
    const gaps = worked(1, "round-1/address", "remediate")
    const stopped = [...worked(2, "round-1/address").slice(0, 1), ...worked(3, "round-1/mend-1", "remediate")]
    assert.strictEqual(gapsUpTo(after(gaps, stopped), 1, "address"), 1)
    assert.strictEqual(gapsUpTo(state, 1, "address"), 0)
  })

  it("count each fix of failing tests once, not each agent", () => {
    assert.strictEqual(testFixes(state, 1), 1)
    assert.strictEqual(testFixes(after(worked(1, "round-1/mend-1", "remediate"), worked(2, "round-1/mend-1")), 1), 1)
    assert.strictEqual(testFixes(state, 12), 0)
  })
})

const planned = plan.after(
  plan.cycleStarted(),
  plan.worked(1, "cycle-1/implement"),
  plan.worked(2, "cycle-1/mend-1"),
  plan.worked(3, "cycle-1/test"),
  plan.worked(4, "cycle-1/mend-2", "remediate"),
  plan.worked(5, "cycle-1/mend-2"),
  plan.worked(6, "cycle-1/review-0", "accept", "spec-reviewer"),
  plan.worked(7, "cycle-11/implement")
)

describe("the tasks of a round of a plan", () => {
  it.each<PlanTask>(["implement", "test", "fix-3", "mend-1", "review-0", "analysis"])(
    "have the log's word for rounds in their names: %s",
    (task) => assert.strictEqual(planTaskId(2, task), `cycle-2/${task}`)
  )

  it("are worked on by agents of that round only", () => {
    assert.strictEqual(lastWorker(planned, 1)?.agent, 5)
    assert.strictEqual(lastAgent(planned, 1, "mend-2")?.agent, 5)
    assert.strictEqual(lastAgent(planned, 1, "implement")?.agent, 1)
    assert.isNull(lastAgent(planned, 2, "implement"))
    assert.isNull(lastWorker(planned, 2))
  })

  it("count each fix of tests once, however often it was asked for", () => {
    assert.strictEqual(testFixes(planned, 1), 2)
    assert.strictEqual(testFixes(planned, 1, 3), 1)
  })

  it("count each fix once, however often it was asked for", () => {
    const fixing = plan.after(
      plan.worked(1, "cycle-1/fix-1", "remediate"),
      plan.worked(2, "cycle-1/fix-1"),
      plan.worked(3, "cycle-1/fix-2")
    )
    assert.deepStrictEqual([fixesOf(fixing, 1), fixesOf(fixing, 2), fixesOf(planned, 1)], [2, 0, 0])
  })
})
