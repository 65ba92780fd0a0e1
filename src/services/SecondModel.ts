// SecondModel: the port to the model that looks at another one's work: one question, one answer, nothing written.
import { Context, type Effect } from "effect"
import type { Level } from "../core/run/Level.ts"

/** A question. `within` is how long the answer may take, in milliseconds; a null `model` leaves the choice to codex. */
export interface Question {
  readonly prompt: string
  readonly effort: Level
  readonly model: string | null
  readonly cwd: string
  readonly within: number
  /** The JSON Schema that the answer should follow. The answer is text where the model knows no schemas. */
  readonly schema: object | null
}

/** What the model said, or why it could not be asked, on one line. */
export type Reply =
  | { readonly _tag: "Said"; readonly text: string }
  | { readonly _tag: "CouldNot"; readonly why: string }

export class SecondModel extends Context.Service<SecondModel, {
  /** Asks. Never fails. Whoever stops waiting ends the model, and all that it has started. */
  readonly ask: (question: Question) => Effect.Effect<Reply>
}>()("ooda-codex-review/services/SecondModel") {}
