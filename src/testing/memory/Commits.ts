// Commits: commits in memory: each gets the next id, and the code stays what it is.
import { Effect, Layer, Ref } from "effect"
import { Commits } from "../../services/Commits.ts"
import { World } from "../World.ts"

export const layer: Layer.Layer<Commits, never, World> = Layer.effect(
  Commits,
  Effect.gen(function*() {
    const { witnessed } = yield* World
    const made = yield* Ref.make(0)
    return Commits.of({
      commitAll: () =>
        witnessed(
          "Commits.commitAll",
          Effect.map(Ref.updateAndGet(made, (n) => n + 1), (n) => ({ commit: String(n).padStart(40, "0"), output: "" }))
        )
    })
  })
)
