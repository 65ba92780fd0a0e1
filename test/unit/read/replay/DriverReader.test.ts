// How the stream of a driver is shown: each event has words, and the changes are how its agents stand.
import { assert, describe, it } from "vitest"
import { convergeRun } from "../../../../src/drive/converge/State.ts"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { walker } from "../../../../src/log/Walk.ts"
import { driverReader } from "../../../../src/read/replay/Readers.ts"
import { driverEvent } from "../../../../property/driverEvent.ts"
import { drawn } from "../../../support/drawn.ts"
import { agentFinished, agentStarted, driving } from "../../drive/converge/events.ts"

const changes = (...events: ReadonlyArray<ConvergeEvent>) => {
  const line = { v: 1, seq: 1, at: "", by: { version: "", pid: 1, host: "" }, prev: "", hash: "", events }
  const { happenings } = walker(convergeRun)({ state: null, unknown: null }, line)
  return happenings.map((happening) => driverReader.changes(happening))
}

describe("the reader of a driver's stream", () => {
  it("reads the kind that drivers write, numbered apart from the run's own log", () => {
    assert.strictEqual(driverReader.kind, convergeRun)
    assert.strictEqual(driverReader.mark, "d")
  })

  it("has one line of words for every event, whatever stands in it", () => {
    for (const event of drawn(driverEvent, 300)) {
      assert.match(driverReader.describe(event), /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]+$/)
    }
  })

  it("tells an agent with its task, and an answer with its tokens", () => {
    assert.strictEqual(
      driverReader.describe(agentStarted({ effort: "high", thread: "t1", cause: "Continued" })),
      'agent 1 attempt 1 (Continued): codex as worker of "fix-1", workspace-write, effort high, in thread t1'
    )
    assert.strictEqual(
      driverReader.describe(agentFinished()),
      'agent 1 attempt 1: Done, "Fixed.", 300k tokens in (250k cached), 12k out (4k reasoning)'
    )
    assert.strictEqual(driverReader.describe(agentFinished({ usage: null })), 'agent 1 attempt 1: Done, "Fixed."')
  })

  it("tells how agents stand where that changed", () => {
    assert.deepStrictEqual(changes(driving, agentStarted(), agentFinished(), agentFinished()), [
      [],
      [{ field: "agents.1", before: null, after: "Running" }],
      [{ field: "agents.1", before: "Running", after: "Finished" }],
      []
    ])
    assert.deepStrictEqual([driverReader.valueText(null), driverReader.valueText("Running")], ["none", "Running"])
  })
})
