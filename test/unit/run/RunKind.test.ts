// RunKind: plan runs are recognised by their targets.
import { assert, it } from "vitest"
import { planRun } from "../../../src/drive/plan/State.ts"
import { isPlanRun, planLog } from "../../../src/run/RunKind.ts"

it("a run is a plan run if its target key is below plan/", () => {
  assert.isTrue(isPlanRun({ targetKey: "plan/PLAN.md-1" }))
  assert.isFalse(isPlanRun({ targetKey: "base/plan" }))
})

it("the log of a plan run has the name and the first event that are known without its other events", () => {
  assert.deepInclude(planRun, planLog)
})
