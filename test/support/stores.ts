// stores: a store in memory, for tests that say themselves what some of its calls answer.
import { Effect, Layer } from "effect"
import { RunStore } from "../../src/run/RunStore.ts"
import { layer as memoryRunStore } from "../../src/testing/memory/RunStore.ts"
import { layer as world } from "../../src/testing/World.ts"

/** The store of the test kit with other answers to some calls. */
export const storeWith = (answers: Partial<RunStore["Service"]>): Layer.Layer<RunStore> =>
  Layer.effect(RunStore, Effect.map(RunStore, (inner) => RunStore.of({ ...inner, ...answers }))).pipe(
    Layer.provide(memoryRunStore),
    Layer.provide(world())
  )
