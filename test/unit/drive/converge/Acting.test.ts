// Acting: one turn at a time: what is decided from what has been committed, and what it does.
import { Effect, Fiber } from "effect"
import { assert, describe, it } from "vitest"
import { commitDriver } from "../../../../src/agent/TaskLog.ts"
import { readConverge } from "../../../../src/drive/converge/State.ts"
import { driven, policy } from "../../../../src/drive/converge/Round.ts"
import type { SignalName } from "../../../../src/platform/Process.ts"
import { Scripted } from "../../../../src/testing.ts"
import { living, onMachine } from "../../run/opened.ts"
import { settings, world } from "./driven.ts"
import { drivingRun } from "./drivings.ts"

const turns = (count: number) =>
  Effect.gen(function*() {
    yield* world()
    const signals: Fiber.Fiber<SignalName> = yield* Effect.forkChild(Effect.never)
    let driving = yield* driven(yield* drivingRun({ settings: settings() }))
    const tags: Array<string> = []
    for (let i = 0; i < count; i++) {
      const seen = yield* policy.look(driving)
      tags.push(seen.decision._tag)
      driving = (yield* policy.act(seen.drive, seen.decision, signals)).drive
    }
    return { tags, driving }
  })

it("each turn is decided from what the turns before have committed", async () => {
  const { driving, tags } = await onMachine(turns(5))
  assert.deepStrictEqual(tags, ["Test", "Step", "StartRound", "Test", "Ask"])
  assert.lengthOf(driving.driver.state.agents.agents, 1)
})

describe("a step that opens another run, on which no driver is on record before it ends,", () => {
  /** One turn, a step. Its driver is asked to end after a while, if ever. */
  const stepped = (script: Scripted.Scripted, after: number, isStopped = false) =>
    onMachine(
      Effect.gen(function*() {
        const signals: Fiber.Fiber<SignalName> = yield* Effect.forkChild(Effect.never)
        const driving = yield* driven(yield* drivingRun({ settings: settings(), isStopped: Effect.succeed(isStopped) }))
        const { ref } = driving.run
        const asking = Effect.flatMap(readConverge(ref), (now) => commitDriver(now, [{ _tag: "StopAsked" }]))
        yield* Effect.forkChild(Effect.andThen(Effect.sleep(after), asking))
        const turn = yield* policy.act(driving, { _tag: "Step" }, signals)
        return { turn, left: yield* living }
      }),
      { script: () => script }
    )

  it("is the last one where `stop` has asked the driver of the run before, too late for the step to see it", async () => {
    const { turn } = await stepped(Scripted.issues(5000), 2500)
    assert.strictEqual(turn._tag, "Over")
    assert.deepInclude(turn, { outcome: { _tag: "DoneAborted" } })
  })

  it("ends its reviewers where whoever calls was asked to end", async () => {
    const { left, turn } = await stepped(Scripted.silence, Infinity, true)
    assert.deepInclude(turn, { _tag: "Over", outcome: { _tag: "DoneAborted" } })
    assert.deepStrictEqual(left, [])
  })
})
