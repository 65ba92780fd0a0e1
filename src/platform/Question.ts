// Question: the port to a person at a terminal, who can be asked yes or no.
import { Context, type Effect } from "effect"

interface Asking {
  /** Shows a text that ends in a question, and returns whether the answer was yes. */
  readonly confirm: (text: string) => Effect.Effect<boolean>
}

/** Null without a terminal to ask. */
export const Question = Context.Reference<Asking | null>("ooda-codex-review/platform/Question", {
  defaultValue: () => null
})
