// Dismissals: the repository's dismissals of tests: the world's documents hold them, by where they are read from.
// The one rule: what is added is in the working copy alone, as with the real one.
import { Effect, Layer, Ref } from "effect"
import { Dismissals, type DismissalsFrom } from "../../services/Dismissals.ts"
import { World } from "../World.ts"

/** The place of the dismissals of the working copy, of a base branch or of a commit among the world's documents. */
export const dismissalsPlace = (from: DismissalsFrom): string =>
  `dismissals of ${from._tag === "Worktree" ? "the working copy" : from._tag === "Base" ? from.branch : from.revision}`

const here = dismissalsPlace({ _tag: "Worktree" })

/** The dismissals that a test has written into the world's documents, and those that were added. */
export const layer: Layer.Layer<Dismissals, never, World> = Layer.effect(
  Dismissals,
  Effect.map(World, ({ documents, witnessed }) =>
    Dismissals.of({
      read: (_, from) => Effect.map(Ref.get(documents), (all) => all.get(dismissalsPlace(from)) ?? ""),
      add: (_, line) =>
        witnessed(
          "Dismissals.add",
          Ref.update(documents, (all) => new Map(all).set(here, `${all.get(here) ?? ""}${line}\n`))
        )
    }))
)
