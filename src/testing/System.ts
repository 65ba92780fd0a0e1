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

// The time moves by a look of a waiting step, or by a hundredth of what has been waited for: so much it may overshoot.
const least = 100
// Longer than anything that a program waits for; milliseconds.
const most = 30 * 24 * 60 * 60 * 1000
// Turns that an effect has before the time moves: what needs no time ends at the instant it began.
const turns = 100

const drive = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { busy } = yield* World
  const fiber = yield* Effect.forkChild(effect)
  for (let i = 0; i < turns && fiber.pollUnsafe() === undefined; i++) yield* Effect.yieldNow
  let waited = 0
  while (fiber.pollUnsafe() === undefined) {
    if (waited > most) return yield* Effect.die(new Error("the program still waits after a month of virtual time"))
    // A port of the host may need real time; the virtual clock stands still meanwhile.
    if ((yield* Ref.get(busy)) > 0) yield* TestClock.withLive(Effect.sleep(1))
    else {
      const stride = Math.max(least, waited / 100)
      yield* TestClock.adjust(stride)
      waited += stride
    }
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
