// System: a machine for the program that lives across many effects, under virtual time.
// Time moves only while something waits for it, and never while a port is at work.
import { Clock, type Duration, Effect, type Exit, Fiber, Layer, ManagedRuntime, Ref } from "effect"
import { TestClock } from "effect/testing"
import type { Services } from "./Memory.ts"
import { World } from "./World.ts"

/** A machine: each effect finds what the ones before it left. */
export interface System {
  /** Runs an effect to its exit, moving the time on as long as it waits. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services | World>) => Promise<Exit.Exit<A, E>>
  readonly dispose: () => Promise<void>
}

// Time moves in steps of a waiting step's look, or of a hundredth of the wait so far. It may overshoot by one such
// step.
const least = 100
// Longer than any wait of the program; milliseconds.
const most = 30 * 24 * 60 * 60 * 1000
// How many turns an effect gets before the time moves, so that instant work ends at the instant it began.
const turns = 100

/** The test clock, and how many sleep on it. */
const countedClock = (sleepers: Ref.Ref<number>) =>
  Layer.effect(
    Clock.Clock,
    Effect.clockWith((clock) =>
      Effect.succeed({
        ...clock,
        sleep: (duration: Duration.Duration) =>
          Effect.acquireUseRelease(
            Ref.update(sleepers, (n) => n + 1),
            () => clock.sleep(duration),
            () => Ref.update(sleepers, (n) => n - 1)
          )
      })
    )
  ).pipe(Layer.provideMerge(TestClock.layer()))

const drive = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>, sleepers: Ref.Ref<number>) {
  const { busy } = yield* World
  const fiber = yield* Effect.forkChild(effect)
  for (let i = 0; i < turns && fiber.pollUnsafe() === undefined; i++) yield* Effect.yieldNow
  let waited = 0
  while (fiber.pollUnsafe() === undefined) {
    if (waited > most) return yield* Effect.die(new Error("the program still waits after a month of virtual time"))
    if ((yield* Ref.get(sleepers)) > 0 && (yield* Ref.get(busy)) === 0) {
      const stride = Math.max(least, waited / 100)
      yield* TestClock.adjust(stride)
      waited += stride
    } else {
      // A layer of the host needs real time.
      yield* TestClock.withLive(Effect.sleep(1))
    }
  }
  return yield* Fiber.join(fiber)
})

/** Builds a machine; `dispose` takes it down. */
export const start = (layer: Layer.Layer<Services | World>): System => {
  const sleepers = Ref.makeUnsafe(0)
  const runtime = ManagedRuntime.make(Layer.provideMerge(layer, countedClock(sleepers)))
  return {
    run: (effect) => runtime.runPromiseExit(drive(effect, sleepers)),
    dispose: () => runtime.dispose()
  }
}
