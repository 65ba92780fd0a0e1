// Question: the port to a person at a terminal, who can be asked whether something is to be done.
import { Context, type Effect } from "effect"

interface Asking {
  /** Shows a text that ends in a question, and says whether the answer was yes. */
  readonly confirm: (text: string) => Effect.Effect<boolean>
}

/** Null where no terminal can be asked. */
export const Question = Context.Reference<Asking | null>("ooda-codex-review/platform/Question", {
  defaultValue: () => null
})
