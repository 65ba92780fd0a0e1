// PlanRun: the log of a plan run as a kind of log: what begins it, and what time does to it.
import { assert, it } from "vitest"
import { begun, planRun } from "../../../../src/drive/plan/State.ts"
import { driverStarted, planStarted } from "./histories.ts"

it("begins with the plan alone", () => {
  assert.deepStrictEqual(planRun.fold.initial(planStarted), begun(planStarted))
  assert.isNull(planRun.fold.initial(driverStarted()))
})

it("takes the time of an event from its line", () => {
  const at = "2026-01-02T03:04:05.000Z"
  const { drivers } = planRun.fold.evolve(begun(planStarted), driverStarted(), { seq: 2, at })
  assert.deepStrictEqual(drivers.map(({ since }) => since), [Date.parse(at)])
})
