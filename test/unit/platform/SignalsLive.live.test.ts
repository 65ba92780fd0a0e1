// The signals of this process: the first one asks, further ones change nothing, and in the end they are its own again.
// The one rule: this process has a listener of its own all the while, so that no signal can end it.
import { Effect, Fiber } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { signalsLayer } from "../../../src/platform/Process.live.ts"
import { Signals } from "../../../src/platform/Process.ts"

const names = ["SIGHUP", "SIGINT", "SIGTERM"] as const
const asked = Effect.provide(Effect.flatMap(Signals, ({ asked }) => asked), signalsLayer)
const listening = () => names.map((name) => process.listenerCount(name))
const ignore = () => {}

let before: ReadonlyArray<number> = []
beforeEach(() => {
  for (const name of names) process.on(name, ignore)
  before = listening()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})
afterEach(() => {
  vi.useRealTimers()
  for (const name of names) process.off(name, ignore)
})

const oneMore = () => before.map((count) => count + 1)

describe("the signals of this process", () => {
  it.each(names)("ask with %s, and further ones change nothing for twenty seconds", async (name) => {
    const fiber = Effect.runFork(asked)
    await vi.waitUntil(() => listening().every((count, i) => count === oneMore()[i]))
    process.emit(name, name)
    assert.strictEqual(await Effect.runPromise(Fiber.join(fiber)), name)
    for (const again of names) process.emit(again, again)
    vi.advanceTimersByTime(19_999)
    assert.deepStrictEqual(listening(), oneMore())
    vi.advanceTimersByTime(1)
    // From here on a signal ends this process, as it does by default.
    assert.deepStrictEqual(listening(), before)
  })

  it("are given back by a step that ends without one", async () => {
    const fiber = Effect.runFork(asked)
    await vi.waitUntil(() => listening().every((count, i) => count === oneMore()[i]))
    await Effect.runPromise(Fiber.interrupt(fiber))
    assert.deepStrictEqual(listening(), before)
  })
})
