// Foresee: an inspection sees what a driver that takes the run now would decide, and no warning stands before it.
import { assert, it } from "vitest"
import { drivenFor } from "../../../../src/drive/State.ts"
import { foresee, takenBy } from "../../../../src/drive/plan/Decide.ts"
import { after, closed, cycleStarted, driverStarted, settings, tasks, view } from "./histories.ts"

it("a driver that takes a run uses no time before, and is not the one that was asked to stop", () => {
  const killed = after(driverStarted("d1"), { _tag: "StopAsked" })
  const taken = takenBy(killed, "d2", 3_600_000)
  assert.strictEqual(drivenFor(taken), drivenFor(killed))
  assert.isFalse(taken.stopAsked)
  assert.strictEqual(taken.drivers.at(-1)?.driver, "d2")
})

it("a warning is passed over, a budget that is used up is not", () => {
  const state = after(driverStarted())
  const limit = settings({ maxTokens: 100, maxTime: 100, tests: [] })
  const used = { rounds: 0, time: 90, tokens: 90 }
  assert.deepStrictEqual(foresee(state, view({ used }), limit, 0), { _tag: "StartRound", round: 1, tasks, claimed: [] })
  assert.deepStrictEqual(foresee(state, view({ used: { ...used, tokens: 100 } }), limit, 0), {
    _tag: "End",
    end: { _tag: "Budget", budget: "tokens", action: "AddressBatch" }
  })
})

it("what ended the call of an earlier driver does not end that of the next", () => {
  const failed = after(driverStarted("d1"), cycleStarted(), closed("Rejected"))
  const next = foresee(takenBy(failed, "d2", 9000), view({ driver: "d2" }), settings({ tests: [] }), 9000)
  assert.deepStrictEqual(next, { _tag: "StartRound", round: 2, tasks, claimed: [] })
})
