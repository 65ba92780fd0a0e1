// provided: which ports of this program a layer provides.
import { Effect, Layer } from "effect"

/** The names of the ports that a layer provides, sorted. */
export const provided = <A>(layer: Layer.Layer<A>): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(Effect.scoped(Effect.map(Layer.build(layer), (context) =>
    [...context.mapUnsafe.keys()]
      .filter((key) => key.startsWith("ooda-codex-review/"))
      .map((key) => key.slice("ooda-codex-review/services/".length)).sort())))
