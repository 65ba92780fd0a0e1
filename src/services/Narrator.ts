// Narrator: the port to a person or a log that follows a driven run: one line for each turn of it.
// It is optional: without it, a driver works in silence.
import { Context, Effect } from "effect"

export interface Telling {
  /** Tells one line. Never fails: what cannot be told is not told. */
  readonly say: (line: string) => Effect.Effect<void>
}

/** Nobody listens. */
export const unheard: Telling = { say: () => Effect.void }

export const Narrator = Context.Reference<Telling>("ooda-codex-review/services/Narrator", {
  defaultValue: () => unheard
})
