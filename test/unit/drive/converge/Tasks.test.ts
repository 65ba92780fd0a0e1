// Tasks: the names of a round's tasks, and the agents that work on them.
import { assert, describe, it } from "vitest"
import { type AgentTaskName, gapsUpTo, lastOf, mends, taskIdOf } from "../../../../src/drive/converge/Tasks.ts"
import { after, worked } from "./streams.ts"

const state = after(worked(1, "round-1/address"), worked(2, "round-1/mend-1"), worked(3, "round-12/address"))

describe("the tasks of a round", () => {
  it.each<[AgentTaskName, string]>([
    [{ _tag: "Address" }, "round-1/address"],
    [{ _tag: "Mend", mend: 2 }, "round-1/mend-2"],
    [{ _tag: "Retro" }, "round-1/retrospective"],
    [{ _tag: "Patterns" }, "round-1/patterns"]
  ])("are named %o", (task, name) => assert.strictEqual(taskIdOf(1, task), name))

  it("are worked on by the agents of that round alone", () => {
    assert.strictEqual(lastOf(state, 1)?.agent, 2)
    assert.strictEqual(lastOf(state, 1, "round-1/address")?.agent, 1)
    assert.strictEqual(lastOf(state, 12)?.agent, 3)
    assert.isNull(lastOf(state, 2))
  })

  it("are asked again after the last answer that named gaps, whatever became of the agents since", () => {
    const gaps = worked(1, "round-1/address", "remediate")
    const stopped = [...worked(2, "round-1/address").slice(0, 1), ...worked(3, "round-1/mend-1", "remediate")]
    assert.strictEqual(gapsUpTo(after(gaps, stopped), 1, "round-1/address"), 1)
    assert.strictEqual(gapsUpTo(state, 1, "round-1/address"), 0)
  })

  it("count how often red tests were mended, not how many agents that took", () => {
    assert.strictEqual(mends(state, 1), 1)
    assert.strictEqual(mends(after(worked(1, "round-1/mend-1", "remediate"), worked(2, "round-1/mend-1")), 1), 1)
    assert.strictEqual(mends(state, 12), 0)
  })
})
