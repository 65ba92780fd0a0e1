// SecondModel: the port to the model that looks at another one's work: one question, one answer, nothing written.
import { Context, type Effect } from "effect"
import { compare, type Level } from "../run/Level.ts"
import type { ChangeSize } from "./Hints.ts"

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
  | { readonly _tag: "Answer"; readonly text: string }
  | { readonly _tag: "Unavailable"; readonly why: string }

export class SecondModel extends Context.Service<SecondModel, {
  /** Asks. Never fails. Whoever stops waiting ends the model, and all that it has started. */
  readonly ask: (question: Question) => Effect.Effect<Reply>
}>()("ooda-codex-review/services/SecondModel") {}

// How hard a reviewer is to think, and which model it is.

/** What codex is asked for: a change with its size and the number of its hints, or another thing. */
export type Subject =
  | { readonly _tag: "Change"; readonly size: ChangeSize; readonly hints: number }
  | { readonly _tag: "Plan" | "Thinking" | "BashFailure" | "Stop" | "PreCompact" | "Summary" }

const tiny = 200
const large = 1000

/** The effort for what is asked. */
export const effortOf = (asked: Subject): Level => {
  switch (asked._tag) {
    case "Plan":
    case "BashFailure":
      return "high"
    case "Thinking":
    case "Stop":
    case "PreCompact":
      return "medium"
    case "Summary":
      return "low"
    case "Change": {
      const { hints, size: { after, before } } = asked
      if (hints >= 2) return "xhigh"
      if (hints === 1 || Math.max(before, after) > large) return "high"
      return before < tiny && after < tiny ? "low" : "medium"
    }
  }
}

/** The models that a person configured. Without a name, or with an empty one, codex chooses. */
export interface Models {
  /** Replaces every other. */
  readonly override: string | null
  readonly model: string | null
  readonly fastModel: string | null
}

const named = (model: string | null): string | null => (model ?? "").trim() || null

/** The model that is asked and its effort. A fast model is given at least high: it is quick because it is small. */
export const modelFor = (
  models: Models,
  effort: Level,
  fast: boolean
): { readonly model: string | null; readonly effort: Level } => {
  const quick = named(models.fastModel)
  const model = named(models.override) ?? (fast ? quick : null) ?? named(models.model)
  const small = model !== null && model === quick
  return { model, effort: small && compare(effort, "high") < 0 ? "high" : effort }
}
