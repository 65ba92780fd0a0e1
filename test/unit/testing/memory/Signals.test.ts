// Signals: the signals of tests are those that the world fires.
import { Effect, Fiber, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { Signals } from "../../../../src/platform/Process.ts"
import { signalsLayer } from "../../../../src/testing/memory/Machine.ts"
import { layer as world, World } from "../../../../src/testing/World.ts"

describe("signals in memory", () => {
  it("ask each of those who run when one is fired, and nobody later", async () => {
    const asked = Signals.use(({ asked }) => asked)
    const seen = await Effect.runPromise(
      Effect.gen(function*() {
        const two = yield* Effect.all([Effect.forkChild(asked), Effect.forkChild(asked)])
        yield* Effect.yieldNow
        yield* World.use(({ fire }) => fire("SIGHUP"))
        const signals = yield* Fiber.joinAll(two)
        const late = yield* Effect.forkChild(asked)
        yield* Effect.yieldNow
        return [...signals, late.pollUnsafe() === undefined]
      }).pipe(Effect.provide(Layer.provideMerge(signalsLayer, world())))
    )
    assert.deepStrictEqual(seen, ["SIGHUP", "SIGHUP", true])
  })
})
