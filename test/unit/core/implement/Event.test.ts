// Event: the facts of plan runs, and that they contain those of every driver.
import { assert, it } from "vitest"
import { DrivenEvent } from "../../../../src/core/driven/Event.ts"
import { PlanEvent } from "../../../../src/core/implement/Event.ts"

it("the events of a plan run contain those of every driver under the same names", () => {
  assert.includeMembers(Object.keys(PlanEvent.cases), Object.keys(DrivenEvent.cases))
})
