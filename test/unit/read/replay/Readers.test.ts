// Readers: every event of every log has one line of text, and its changes. The golden renderings hold the texts.
import { assert, describe, it } from "vitest"
import { driverEvent } from "../../../../property/driverEvent.ts"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import { convergeRun } from "../../../../src/drive/converge/State.ts"
import { walker } from "../../../../src/log/Walk.ts"
import { driverReader, reviewRunReader } from "../../../../src/read/replay/Readers.ts"
import { describe as described } from "../../../../src/read/replay/words.ts"
import { arbitraries } from "../../../../src/testing/Arbitraries.ts"
import { drawn } from "../../../support/drawn.ts"
import { happenings } from "../../../support/happenings.ts"
import { agentFinished, agentStarted, driving } from "../../drive/converge/events.ts"
import { created, failed, opened } from "../../run/events.ts"

describe("an event of a review run", () => {
  it("of any kind, with any text in it, stays on one line and shows hidden characters", () => {
    for (const event of drawn(arbitraries.event, 1000)) {
      assert.notMatch(described(event), /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/)
    }
  })

  it("cuts a long text", () => {
    const line = described(failed({ message: `${"x".repeat(299)}yz` }))
    assert.include(line, 'xxy..."')
    assert.notInclude(line, "z")
  })
})

const changes = (...events: ReadonlyArray<ConvergeEvent>) => {
  const line = { v: 1, seq: 1, at: "", by: { version: "", pid: 1, host: "" }, prev: "", hash: "", events }
  const { happenings } = walker(convergeRun)({ state: null, unknown: null }, line)
  return happenings.map((happening) => driverReader.changes(happening))
}

describe("the reader of a driver's stream", () => {
  it("has one line of text for every event, whatever it holds", () => {
    for (const event of drawn(driverEvent, 300)) {
      assert.match(driverReader.describe(event), /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]+$/)
    }
  })

  it("shows the state of agents when it changed", () => {
    assert.deepStrictEqual(changes(driving, agentStarted(), agentFinished(), agentFinished()), [
      [],
      [{ field: "agents.1", before: null, after: "Running" }],
      [{ field: "agents.1", before: "Running", after: "Finished" }],
      []
    ])
    assert.deepStrictEqual([driverReader.valueText(null), driverReader.valueText("Running")], ["none", "Running"])
  })
})

describe("the reader of a review run's log", () => {
  it("shows what an event changed, with words for the values", () => {
    const last = happenings([created()], [opened("medium", 1, { cause: "Advanced" })]).at(-1) ?? assert.fail("no event")
    const texts = reviewRunReader.changes(last)
      .map(({ after, before, field }) => [field, reviewRunReader.valueText(before), reviewRunReader.valueText(after)])
    assert.deepInclude(texts, ["current_level", "low", "medium"])
  })
})
