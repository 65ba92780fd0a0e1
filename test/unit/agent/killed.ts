// killed: an effect whose process dies in the midst of it, for the tests of what comes after.
import { Effect, Ref } from "effect"
import { World } from "../../../src/testing.ts"

class Killed extends Error {}

/** Runs an effect whose process dies right before or after it changes anything for the k-th time, counted from 0. */
export const killed = <A, E, R>(at: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { witness } = yield* World
    let left = at
    yield* Ref.set(witness, () => left-- > 0 ? Effect.void : Effect.die(new Killed()))
    yield* Effect.exit(effect)
    yield* Ref.set(witness, () => Effect.void)
  })
