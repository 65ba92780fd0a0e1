// Places: the places for work that a worker has: each takes one thing from a queue at a time and does it.
// The one rule: a queue hands out as much as is asked for at once, so that only one free place asks at a time.
import { Effect, Exit, type Latch, Scope, Semaphore } from "effect"
import { recovered } from "../services/Note.ts"

// Milliseconds until a place asks again when asking has failed: a store that is away would be asked without end.
const askAgainAfter = 1000

/** Takes one thing from a queue and does it. `begun` is to run as soon as it has one: then the next place may ask. */
export type Take<E, R> = (begun: Effect.Effect<void>) => Effect.Effect<unknown, E, R>

/**
 * Has this many places do one thing after the other. When `draining` opens, places that have nothing to do end at once,
 * and the others with what they do. What fails is only noted: the queue hands it out again.
 */
export const filled = Effect.fn("Places.filled")(
  function*<E extends { readonly message: string }, R>(places: number, draining: Latch.Latch, take: Take<E, R>) {
    const turnstile = yield* Semaphore.make(1)
    const later = Effect.sleep(askAgainAfter)

    /** Does one thing, and says whether there may be another. */
    const place = Effect.gen(function*() {
      const asking = yield* Scope.make()
      let works = false
      const begun = Effect.suspend(() => {
        works = true
        return Scope.close(asking, Exit.void)
      })
      const done = turnstile.takeScoped(1).pipe(
        Scope.provide(asking),
        Effect.andThen(take(begun)),
        Effect.catch((error) =>
          Effect.andThen(recovered("it is done again")(error), Effect.suspend(() => works ? Effect.void : later))
        ),
        Effect.as(true)
      )
      const drained = Effect.andThen(draining.await, Effect.suspend(() => works ? Effect.never : Effect.succeed(false)))
      return yield* Effect.ensuring(Effect.raceFirst(done, drained), Scope.close(asking, Exit.void))
    })

    const again = Effect.gen(function*() {
      while (!draining.isOpen() && (yield* place)) yield* Effect.yieldNow
    })
    yield* Effect.forEach(Array.from({ length: places }), () => again, { concurrency: "unbounded", discard: true })
  }
)
