// Signals: the signals of tests: those that the world fires.
// The one rule: a signal reaches the steps that run when it is fired, and no later one.
import { Effect, Layer } from "effect"
import { Signals } from "../../services/Signals.ts"
import { World } from "../World.ts"

/** Signals that the test fires with `World`. */
export const layer: Layer.Layer<Signals, never, World> = Layer.effect(
  Signals,
  Effect.map(World, ({ asked }) => Signals.of({ asked }))
)
