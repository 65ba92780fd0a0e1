// What the events that all drivers share say, and how agents stand between two states.
import { assert, describe, it } from "vitest"
import { agentChanges, describeDriven } from "../../../../src/read/replay/words.ts"
import { agentFinished, agentStarted } from "../../drive/converge/events.ts"
import { after, tested } from "../../drive/converge/streams.ts"

describe("an event of a driver", () => {
  it("says what happened", () => {
    assert.strictEqual(describeDriven({ _tag: "StopAsked" }), "by stop")
    const [started, ended] = tested(1, 0, 1)
    assert.strictEqual(describeDriven(started), 'test 1 outside of rounds: "npm test"')
    assert.strictEqual(describeDriven(ended), "test 1: red exited 1")
    const refused = { _tag: "FixesCommitted", round: 2, agent: 1, commit: null, output: { text: "hook" } } as const
    assert.strictEqual(describeDriven(refused), 'round 2: git refused: "hook"')
    assert.strictEqual(describeDriven({ _tag: "WorktreeRestored", round: 2, snapshot: 3 }), "round 2: snapshot 3")
  })
})

describe("agents", () => {
  it("are told where they stand otherwise than before", () => {
    const [one, two] = [after(agentStarted()), after(agentStarted(), agentFinished())]
    assert.deepStrictEqual(agentChanges(null, one), [{ field: "agents.1", before: null, after: "Running" }])
    assert.deepStrictEqual(agentChanges(one, two), [{ field: "agents.1", before: "Running", after: "Finished" }])
    assert.deepStrictEqual(agentChanges(two, two), [])
  })
})
