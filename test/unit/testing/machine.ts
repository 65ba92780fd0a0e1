// machine: a machine in memory for each test, and effects that must succeed on it.
import { type Cause, type Effect, Exit } from "effect"
import { afterEach, assert, beforeEach } from "vitest"
import * as Memory from "../../../src/testing/Memory.ts"
import { start, type System } from "../../../src/testing/System.ts"
import type { World } from "../../../src/testing/World.ts"

/** A new machine for each test; `run` gives an effect's value, `failed` the cause of its failure. */
export const machine = (options: () => Memory.Options = () => ({})) => {
  let system: System | null = null
  beforeEach(() => {
    system = start(Memory.layer(options()))
  })
  afterEach(() => system?.dispose())
  const exit = <A, E>(effect: Effect.Effect<A, E, Memory.Services | World>): Promise<Exit.Exit<A, E>> =>
    system === null ? assert.fail("no machine") : system.run(effect)
  return {
    run: async <A, E>(effect: Effect.Effect<A, E, Memory.Services | World>): Promise<A> => {
      const ended = await exit(effect)
      return Exit.isSuccess(ended) ? ended.value : assert.fail(String(ended.cause))
    },
    failed: async <A, E>(effect: Effect.Effect<A, E, Memory.Services | World>): Promise<Cause.Cause<E>> => {
      const ended = await exit(effect)
      return Exit.isFailure(ended) ? ended.cause : assert.fail("it succeeded")
    }
  }
}
