import { assert, it } from "vitest"
import { endingOf, evolveStream, emptyStream } from "../../../src/agent/stream/AgentStream.ts"
import { answers, fails, inOrder, silentAgent } from "../../../src/testing/ScriptedAgent.ts"
import { task } from "../agent/orders.ts"
import { failures } from "../agent/failures.ts"
import { runRef } from "../run/events.ts"

const attempt = { run: runRef(), agent: 1, attempt: 1, id: "a", kind: "codex" } as const

it("an answer ends as its own events say", () => {
  for (const message of ["Done.", "FAILED: no compiler"]) {
    const { ending, events } = answers(message)
    const told = endingOf(events.map(({ event }) => event).reduce(evolveStream, emptyStream), 0)
    assert.deepStrictEqual(ending, told)
  }
})

it("agents follow their order, and the last one serves all that follow", () => {
  const [one, two] = [answers("One."), fails(failures.Crashed)]
  const script = inOrder(one, two)
  const said = (nth: number) => script(attempt, task(), { thread: null, prompt: "" }, nth)
  assert.deepStrictEqual([0, 1, 2].map(said), [one, two, two])
  assert.deepStrictEqual(inOrder(silentAgent)(attempt, task(), { thread: null, prompt: "" }, 5), silentAgent)
})
