// Waiting: what ends the waiting for work, and what is left of it then.
import { Effect, Fiber } from "effect"
import { assert, describe, it } from "vitest"
import { caughtUp, isSignal, stopWork, waitFor } from "../../../src/drive/Stop.ts"
import { record } from "../../../src/drive/Drive.ts"
import type { SignalName } from "../../../src/platform/Process.ts"
import { drivingRun } from "./converge/drivings.ts"
import { agentStarted } from "./converge/events.ts"
import { onMachine } from "../run/opened.ts"

describe("waiting for work", () => {
  it("ends with the work, or with a signal", async () => {
    const ended = await Effect.runPromise(Effect.gen(function*() {
      const silent: Fiber.Fiber<SignalName> = yield* Effect.forkChild(Effect.never)
      const signalled: Fiber.Fiber<SignalName> = yield* Effect.forkChild(Effect.succeed("SIGTERM" as const))
      return [yield* waitFor(silent, Effect.succeed(1)), yield* waitFor(signalled, Effect.never)]
    }))
    assert.deepStrictEqual(ended, [1, "SIGTERM"])
    assert.deepStrictEqual(ended.map(isSignal), [false, true])
  })

  it("is caught up with, and the agents that still run can be ended", async () => {
    const [before, after, left] = await onMachine(Effect.gen(function*() {
      const driving = yield* drivingRun()
      yield* record(driving, [agentStarted()])
      const now = yield* caughtUp(driving)
      const stopped = yield* stopWork(now, "Interrupt")
      const count = (one: typeof driving) => one.driver.state.agents.agents.length
      return [count(driving), count(now), stopped.driver.state.agents.agents[0]?.standing] as const
    }))
    assert.deepStrictEqual([before, after], [0, 1])
    assert.deepStrictEqual(left, { _tag: "Stopped", cause: "Interrupt" })
  })
})
