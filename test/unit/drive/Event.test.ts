// Event: the shared facts of drivers, and that they contain those of agents.
import { assert, it } from "vitest"
import { taskEvents } from "../../../src/agent/Event.ts"
import { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import { DrivenEvent } from "../../../src/drive/State.ts"

it("the events of all drivers contain those of agents, and the streams contain them all under the same names", () => {
  assert.includeMembers(Object.keys(DrivenEvent.cases), Object.keys(taskEvents))
  assert.includeMembers(Object.keys(ConvergeEvent.cases), Object.keys(DrivenEvent.cases))
})
