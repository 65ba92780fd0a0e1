// StopAgents: afterwards nothing is under way, and what had ended by itself before still counts.
import { Effect, Fiber, Ref } from "effect"
import { assert, describe, it } from "vitest"
import { openDriver } from "../../../src/drive/converge/State.ts"
import { stopAgents } from "../../../src/agent/Attempt.ts"
import { lives, ScriptedAgent, World } from "../../../src/testing.ts"
import { failures } from "./failures.ts"
import { runRef } from "../run/events.ts"
import { onMachine } from "../run/opened.ts"
import { committed, events, history, order, ran, scripted } from "./orders.ts"

const { answers, fails, inOrder } = ScriptedAgent
const stop = Effect.flatMap(openDriver(runRef()), (driver) => stopAgents(driver, "Stop"))

const begun = (after: number) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(ran())
    yield* Effect.sleep(after)
    return fiber
  })

const living = World.use(({ agents }) =>
  Effect.map(Ref.get(agents), (all) => all.filter((one) => lives(one, 10_000)).length)
)

describe("stopping the agents of a run", () => {
  it("ends them, and tells whoever follows", async () => {
    const { left, log, result } = await onMachine(Effect.gen(function*() {
      yield* scripted(() => answers("Done.", { after: 600_000 }))
      const fiber = yield* begun(5_000)
      yield* stop
      const { result } = yield* Fiber.join(fiber)
      return { result, left: yield* living, log: yield* history }
    }))
    assert.deepStrictEqual(result, { _tag: "Stopped", cause: "Stop" })
    assert.strictEqual(left, 0)
    assert.deepStrictEqual(log.at(-1), "stopped 1.1 Stop")
  })

  it("leaves alone an agent whose driver was interrupted, until it is asked for", async () => {
    const left = await onMachine(Effect.gen(function*() {
      yield* scripted(() => answers("Done.", { after: 600_000 }))
      yield* Fiber.interrupt(yield* begun(5_000))
      const before = yield* living
      yield* stop
      return [before, yield* living]
    }))
    assert.deepStrictEqual(left, [1, 0])
  })

  it("ends the wait for the next attempt", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* scripted(inOrder(fails({ ...failures.RateLimited, after: 60_000 }), answers("Done.")))
      const fiber = yield* begun(5_000)
      yield* stop
      yield* Fiber.join(fiber)
      return yield* history
    }))
    assert.deepStrictEqual(log.slice(2), ["stopped 1.1 Stop"])
  })

  it("counts an answer that was given before", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* scripted(() => answers("Done.", { after: 10_000 }))
      yield* Fiber.interrupt(yield* begun(5_000))
      yield* Effect.sleep(10_000)
      yield* stop
      return yield* history
    }))
    assert.deepStrictEqual(log.at(-1), "finished 1.1 Done")
  })

  it("does nothing where nothing is under way", async () => {
    const log = await onMachine(Effect.gen(function*() {
      yield* ran()
      yield* stop
      return yield* events
    }))
    assert.lengthOf(log, 2)
  })

  it("keeps an attempt from starting that was committed and not started yet", async () => {
    const { log, left } = await onMachine(Effect.gen(function*() {
      yield* ran(order())
      const started = (yield* events)[0]
      if (started?._tag !== "AgentStarted") throw new Error("expected a start")
      yield* committed({ ...started, agent: 2, id: "never" })
      yield* stop
      return { log: yield* history, left: yield* living }
    }))
    assert.deepStrictEqual(log.at(-1), "stopped 2.1 Stop")
    assert.strictEqual(left, 0)
  })
})
