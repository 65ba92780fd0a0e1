import { Effect } from "effect"
import { assert, it } from "vitest"
import { agentOf, AgentTaken, lastAttempt } from "../../../src/agent/Order.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { ran } from "./orders.ts"

it("an agent is found by its number, and named by its last attempt", async () => {
  const [one, none] = await onMachine(Effect.gen(function*() {
    yield* ran()
    const driver = yield* openDriver(runRef())
    return [agentOf(driver, 1), agentOf(driver, 2)]
  }))
  assert.isNull(none)
  if (one === null || one === undefined) throw new Error("expected an agent")
  const { id } = one.started
  assert.deepStrictEqual(lastAttempt(runRef(), one), { run: runRef(), agent: 1, attempt: 1, id, kind: "codex" })
})

it("a number that is taken is told with the task that has it", () =>
  assert.strictEqual(
    new AgentTaken({ agent: 2, taskId: "t" }).message,
    "agent 2 of the run already works on task t [take the next number]"
  ))
