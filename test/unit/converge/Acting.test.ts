// Acting: one turn at a time: what is decided from what has been committed, and what it does.
import { Effect, Fiber } from "effect"
import { assert, it } from "vitest"
import { driven, left, looked, turned } from "../../../src/converge/Acting.ts"
import type { SignalName } from "../../../src/services/Signals.ts"
import { onMachine } from "../runs/opened.ts"
import { settings, world } from "./driven.ts"
import { drivingRun } from "./drivings.ts"

const turns = (count: number) =>
  Effect.gen(function*() {
    yield* world()
    const signals: Fiber.Fiber<SignalName> = yield* Effect.forkChild(Effect.never)
    let driving = yield* driven(yield* drivingRun({ settings: settings() }))
    const tags: Array<string> = []
    for (let i = 0; i < count; i++) {
      const seen = yield* looked(driving)
      tags.push(seen.decision._tag)
      driving = (yield* turned(seen.driving, seen.decision, signals)).driving
    }
    return { tags, driving }
  })

it("each turn is decided from what the turns before have committed", async () => {
  const { driving, tags } = await onMachine(turns(4))
  assert.deepStrictEqual(tags, ["Step", "StartRound", "Test", "Ask"])
  assert.lengthOf(driving.driver.state.agents.agents, 1)
})

it("who leaves says in what", async () => {
  const event = await onMachine(Effect.map(drivingRun(), (driving) => left(driving, { _tag: "DoneAborted" })))
  assert.deepStrictEqual(event, { _tag: "DriverEnded", driver: "d1", outcome: "DoneAborted" })
})
