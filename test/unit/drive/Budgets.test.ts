// Budgets: what is used up, when a warning is due, and how long a run was driven.
import { assert, describe, it } from "vitest"
import { drivenUntil, exhausted, toWarn } from "../../../src/drive/Budgets.ts"
import { budgeted } from "../../../src/drive/Decide.ts"
import { evolveDriven, undriven } from "../../../src/drive/State.ts"

const limits = { maxRounds: 10, maxTime: 60_000, maxTokens: 1000 }
const none = { maxRounds: 20, maxTime: null, maxTokens: null }

describe("budgets", () => {
  it("count the time of a driver that is still running", () => {
    const driving = evolveDriven(undriven, { _tag: "DriverStarted", driver: "d", pid: 7 }, 1000)
    assert.strictEqual(drivenUntil(driving, 5000), 4000)
    const left = evolveDriven(driving, { _tag: "DriverEnded", driver: "d", outcome: "DoneAborted" }, 2000)
    assert.strictEqual(drivenUntil(left, 5000), 0)
    assert.strictEqual(drivenUntil(undriven, 5000), 0)
  })

  it("are exhausted when nothing is left", () => {
    assert.deepStrictEqual(exhausted({ rounds: 9, time: 59_999, tokens: 999 }, limits), [])
    assert.deepStrictEqual(exhausted({ rounds: 10, time: 60_000, tokens: 1000 }, limits), ["rounds", "time", "tokens"])
    assert.deepStrictEqual(exhausted({ rounds: 0, time: 1e9, tokens: 1e9 }, none), [])
  })

  it("cause one warning, when four fifths are used", () => {
    const use = { rounds: 8, time: 0, tokens: 0 }
    assert.isNull(toWarn(undriven, { ...use, rounds: 7 }, limits))
    assert.deepStrictEqual(toWarn(undriven, use, limits), { budget: "rounds", used: 8, limit: 10 })
    const warned = evolveDriven(undriven, { _tag: "BudgetWarned", budget: "rounds", used: 8, limit: 10 }, 0)
    assert.isNull(toWarn(warned, use, limits))
    assert.isNotNull(toWarn(warned, { ...use, rounds: 16 }, { ...none, maxRounds: 20 }))
  })

  it("end the call when they are exhausted, after a warning", () => {
    assert.isNull(budgeted(undriven, { rounds: 1, time: 0, tokens: 0 }, limits, "RunReviews"))
    assert.deepStrictEqual(budgeted(undriven, { rounds: 0, time: 60_000, tokens: 900 }, limits, "RunReviews"), {
      _tag: "End",
      end: { _tag: "Budget", budget: "time", action: "RunReviews" }
    })
    const warning = { _tag: "Warn", budget: "tokens", used: 900, limit: 1000 } as const
    assert.deepStrictEqual(budgeted(undriven, { rounds: 0, time: 0, tokens: 900 }, limits, "RunReviews"), warning)
  })
})
