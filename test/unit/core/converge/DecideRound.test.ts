// DecideRound: what a person has allowed counts for the call and for the rest of the run.
import { assert, describe, it } from "vitest"
import { addressed, allowed, lookedOver } from "../../../../src/core/converge/DecideRound.ts"
import { after, driverStarted, roundStarted, settings, tested, worked } from "./streams.ts"

describe("what a person allows", () => {
  it("counts in the call that says so, and for the rest of the run", () => {
    assert.isFalse(allowed(after(), settings(), "red-baseline"))
    assert.isTrue(allowed(after(), settings({ allow: ["red-baseline"] }), "red-baseline"))
    const given = after({ _tag: "ConsentGiven", consent: "red-baseline" })
    assert.isTrue(allowed(given, settings(), "red-baseline"))
    assert.isFalse(allowed(given, settings(), "rejected-result"))
  })
})

describe("a round", () => {
  it("asks again for the mending that an agent could not finish, not for a further one", () => {
    const state = after(
      driverStarted(),
      roundStarted(),
      worked(1, "round-1/address"),
      { _tag: "RoundAnswered", round: 1, agent: 1, answers: [], protectedFiles: [] },
      tested(1, 1, 1),
      tested(2, 1, 1),
      worked(2, "round-1/mend-1", "remediate")
    )
    const [round] = state.rounds
    assert.isDefined(round)
    if (round === undefined) return
    const next = addressed(state, round, settings())
    assert.deepStrictEqual(next, { _tag: "Ask", round: 1, task: { _tag: "Mend", mend: 1 } })
    const clean = lookedOver(state, round, settings({ retro: "never" }), true)
    assert.deepStrictEqual(clean, { _tag: "Skip", round: 1, because: "Never" })
  })
})
