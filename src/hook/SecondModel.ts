// SecondModel: the port to the model that reviews another model's work: one question, one answer, nothing written.
import { Context, type Effect } from "effect"
import { compare, type Level } from "../run/Level.ts"
import type { ChangeSize } from "./Hints.ts"

/** A question. `within` is the time for the answer in milliseconds; a null `model` leaves the choice to codex. */
export interface Question {
  readonly prompt: string
  readonly effort: Level
  readonly model: string | null
  readonly cwd: string
  readonly within: number
  /** The JSON Schema for the answer. A model without support for schemas answers with text. */
  readonly schema: object | null
}

/** The model's answer, or one line why it could not be asked. */
export type Reply =
  | { readonly _tag: "Answer"; readonly text: string }
  | { readonly _tag: "Unavailable"; readonly why: string }

export class SecondModel extends Context.Service<SecondModel, {
  /** Asks. Never fails. Interruption ends the model and everything that it has started. */
  readonly ask: (question: Question) => Effect.Effect<Reply>
}>()("ooda-codex-review/services/SecondModel") {}

// The reasoning effort and the model of a reviewer.

/** The kind of question: a change with its size and the number of its hints, or another kind. */
export type Subject =
  | { readonly _tag: "Change"; readonly size: ChangeSize; readonly hints: number }
  | { readonly _tag: "Plan" | "Thinking" | "BashFailure" | "Stop" | "PreCompact" | "Summary" }

const tiny = 200
const large = 1000

/** The effort for a question. */
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

/** The models that a person configured. A missing or empty name leaves the choice to codex. */
export interface Models {
  /** Replaces all others. */
  readonly override: string | null
  readonly model: string | null
  readonly fastModel: string | null
}

const named = (model: string | null): string | null => (model ?? "").trim() || null

/** The model to ask and its effort. A fast model gets at least high: it is quick because it is small. */
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
