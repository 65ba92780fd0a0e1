// RunKind: runs of plans are told from others by their targets.
import { assert, it } from "vitest"
import { planRun } from "../../../src/drive/plan/State.ts"
import { isPlanRun, planLog } from "../../../src/run/RunKind.ts"

it("a run is one of a plan if its target is kept among plans", () => {
  assert.isTrue(isPlanRun({ targetKey: "plan/PLAN.md-1" }))
  assert.isFalse(isPlanRun({ targetKey: "base/plan" }))
})

it("the log of a plan run has the name and the beginning that are known without its events", () => {
  assert.deepInclude(planRun, planLog)
})
