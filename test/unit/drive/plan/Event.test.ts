// Event: the facts of plan runs, and that they contain those of every driver.
import { assert, it } from "vitest"
import { DrivenEvent } from "../../../../src/drive/State.ts"
import { PlanEvent } from "../../../../src/drive/plan/Event.ts"

it("the events of a plan run contain those of every driver under the same names", () => {
  assert.includeMembers(Object.keys(PlanEvent.cases), Object.keys(DrivenEvent.cases))
})
