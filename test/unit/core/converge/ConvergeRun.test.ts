import { assert, describe, it } from "vitest"
import { noAgents } from "../../../../src/core/agent/AgentsState.ts"
import { convergeRun } from "../../../../src/core/converge/ConvergeRun.ts"

const { fold } = convergeRun
const begun = { _tag: "ConvergeStarted", runId: "r", nonce: "n" } as const

describe("the stream of a driver", () => {
  it("begins with its run and with no agent", () => {
    assert.deepStrictEqual(fold.initial(begun), { runId: "r", agents: noAgents })
    assert.isNull(fold.initial({ _tag: "ConsentGiven", consent: "unsandboxed" }))
  })

  it("takes in what agents do, with the time of the line", () => {
    const state = { runId: "r", agents: noAgents }
    const line = { seq: 2, at: "2026-01-01T00:00:00.000Z" }
    const next = fold.evolve(state, { _tag: "ConsentGiven", consent: "unsandboxed" }, line)
    assert.isTrue(next.agents.consents.has("unsandboxed"))
    assert.strictEqual(fold.evolve(state, begun, line), state)
  })
})
