// System: a machine for the program that lives across many effects, under virtual time.
// The one rule: time moves only while an effect runs that waits for it, and never while a port is at work.
import { Effect, Exit, Fiber, type Layer, Layer as Layers, ManagedRuntime, Ref } from "effect"
import { TestClock } from "effect/testing"
import type { Services } from "./memory.ts"
import { World } from "./World.ts"

/** A machine: what one effect leaves behind, the next one finds. */
export interface System {
  /** Runs an effect to its exit, moving the time on as long as it waits. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services | World>) => Promise<Exit.Exit<A, E>>
  readonly dispose: () => Promise<void>
}

// One look of a waiting step; and how long nothing that a step waits for can take.
const stride = "100 millis"
const strides = 24 * 60 * 60 * 10
// Turns that an effect has before the time moves: what needs no time ends at the instant it began.
const turns = 100

const drive = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { busy } = yield* World
  const fiber = yield* Effect.forkChild(effect)
  for (let i = 0; i < turns && fiber.pollUnsafe() === undefined; i++) yield* Effect.yieldNow
  for (let i = 0; fiber.pollUnsafe() === undefined; i++) {
    if (i > strides) return yield* Effect.die(new Error("the program still waits after a day of virtual time"))
    // A port of the host may need real time; the virtual clock stands still meanwhile.
    if ((yield* Ref.get(busy)) > 0) yield* TestClock.withLive(Effect.sleep(1))
    else yield* TestClock.adjust(stride)
  }
  return yield* Fiber.join(fiber)
})

/** Builds a machine; `dispose` takes it down. */
export const start = (layer: Layer.Layer<Services | World>): System => {
  const runtime = ManagedRuntime.make(Layers.provideMerge(layer, TestClock.layer()))
  return {
    run: (effect) => runtime.runPromiseExit(drive(effect)),
    dispose: () => runtime.dispose()
  }
}
