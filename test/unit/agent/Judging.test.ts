// Judging: an answer is judged once, and agents are asked until there is a result.
import { Effect, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { AgentTaken } from "../../../src/agent/Order.ts"
import { refreshDriver } from "../../../src/agent/TaskLog.ts"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { type Judgement, judgeOnce, untilResult } from "../../../src/agent/AskForResult.ts"
import { ScriptedAgent } from "../../../src/testing.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { events, ran, scripted } from "./orders.ts"

const judgement = (status: "pass" | "gaps"): Judgement => ({
  taskId: "task-1",
  role: "worker",
  grammar: "v2",
  valid: true,
  status,
  action: status === "pass" ? "accept" : "remediate",
  problems: []
})

describe("judging an answer", () => {
  it("is done once, by whoever is first", async () => {
    const judged = await onMachine(Effect.gen(function*() {
      yield* scripted(ScriptedAgent.inOrder(ScriptedAgent.answers("Done.")))
      const { driver } = yield* ran()
      yield* judgeOnce(driver, 1, () => judgement("pass"))
      yield* judgeOnce(driver, 1, () => judgement("gaps"))
      return (yield* events).flatMap((event) => event._tag === "ResultJudged" ? [event.status] : [])
    }))
    assert.deepStrictEqual(judged, ["pass"])
  })

  it("keeps as many problems as an event has room for", async () => {
    const problems = Array.from({ length: 5000 }, (_, i) => `header ${i} ${"漢".repeat(500)}`)
    const kept = await onMachine(Effect.gen(function*() {
      yield* scripted(ScriptedAgent.inOrder(ScriptedAgent.answers("Done.")))
      const { driver } = yield* ran()
      yield* judgeOnce(driver, 1, () => ({ ...judgement("gaps"), problems }))
      return (yield* events).flatMap((event) => event._tag === "ResultJudged" ? event.problems : [])
    }))
    assert.lengthOf(kept, 20)
  })
})

describe("asking until there is a result", () => {
  it("asks again where there is none yet, and where the number went to another task", async () => {
    const { asked, result } = await onMachine(Effect.gen(function*() {
      const turns = yield* Ref.make(0)
      const { result } = yield* untilResult(yield* openDriver(runRef()), (driver) =>
        Effect.gen(function*() {
          const turn = yield* Ref.updateAndGet(turns, (count) => count + 1)
          if (turn === 1) return { driver, result: null }
          if (turn === 2) return yield* new AgentTaken({ agent: 1, taskId: "task-2" })
          return { driver: yield* refreshDriver(driver), result: `turn ${turn}` }
        }))
      return { result, asked: yield* Ref.get(turns) }
    }))
    assert.strictEqual(result, "turn 3")
    assert.strictEqual(asked, 3)
  })

  it("fails with any other failure", async () => {
    const failure = await onMachine(Effect.gen(function*() {
      const driver = yield* openDriver(runRef())
      return yield* Effect.flip(untilResult(driver, () => Effect.fail("broken" as const)))
    }))
    assert.strictEqual(failure, "broken")
  })
})
