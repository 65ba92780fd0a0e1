import { assert, describe, it } from "vitest"
import { begun, convergeRun } from "../../../../src/drive/converge/State.ts"

const { fold } = convergeRun
const started = { _tag: "ConvergeStarted", runId: "r", nonce: "n" } as const

describe("the stream of a driver", () => {
  it("begins with its run and with no agent", () => {
    assert.deepStrictEqual(fold.initial(started), begun("r"))
    assert.isNull(fold.initial({ _tag: "ConsentGiven", consent: "unsandboxed" }))
  })

  it("takes in what agents do, with the time of the line", () => {
    const state = begun("r")
    const line = { seq: 2, at: "2026-01-01T00:00:00.000Z" }
    const next = fold.evolve(state, { _tag: "ConsentGiven", consent: "unsandboxed" }, line)
    assert.isTrue(next.agents.consents.has("unsandboxed"))
    assert.deepStrictEqual(fold.evolve(state, started, line), state)
  })
})
