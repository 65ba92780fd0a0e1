import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { taskEvents } from "../../../../src/agent/Event.ts"
import { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"

describe("the events of a driver", () => {
  it("begin with the run that is driven", () => {
    assert.isTrue(Schema.is(ConvergeEvent)({ _tag: "ConvergeStarted", runId: "r", nonce: "n" }))
    assert.isFalse(Schema.is(ConvergeEvent)({ _tag: "ConvergeStarted", runId: "r" }))
  })

  it("contain those of agents under the same names", () => {
    assert.includeMembers(Object.keys(ConvergeEvent.cases), Object.keys(taskEvents))
  })
})
