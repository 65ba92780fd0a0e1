// Invocation: the action of one call, and its settings.
import { Result } from "effect"
import type { Level } from "./Level.ts"
import { isRecording, type Mark } from "./Mark.ts"
import { decode, type Settings } from "./Settings.ts"

/** The hand-off that a mark in a strict run answers: its batch, and its run if that is named. */
export interface Answers {
  readonly level: Level
  readonly batch: number
  readonly run: string | null
}

/** One of the two modes, or the inspecting variant of the loop (`--inspect`). */
export type Action =
  | { readonly _tag: "Loop"; readonly fresh: boolean }
  | { readonly _tag: "Inspect" }
  | {
    readonly _tag: "SideEffect"
    readonly mark: Mark
    readonly answers?: Answers
    /** The driver that sets the mark; absent if a person does. */
    readonly driver?: string
  }

export interface Invocation {
  readonly settings: Settings
  readonly action: Action
}

const textFlags = { RetroChanges: "--mark-retro-changes", AddressFailed: "--mark-address-failed" } as const

/** What is wrong with the text of a mark, or null: an unset shell variable arrives as the empty text. */
const textProblem = (mark: Mark): string | null => {
  if (mark._tag !== "RetroChanges" && mark._tag !== "AddressFailed") return null
  const { text } = mark._tag === "RetroChanges" ? mark.reason : mark.details
  if (text.trim() !== "") return null
  const wanted = mark._tag === "RetroChanges" ? "the reason, what was changed" : "the details, which tests failed"
  return `with --strict ${textFlags[mark._tag]} needs ${wanted}; its text is empty`
}

/** What is wrong with a mark: the batch that it answers or fails to name, or an empty text in a strict run; or null. */
export const markProblem = ({ strict }: Settings, action: Action): string | null => {
  if (action._tag !== "SideEffect") return null
  if (action.answers === undefined) {
    return strict && isRecording(action.mark)
      ? "with --strict a mark needs --batch LEVEL/N, the batch that it answers; its hand-off names it"
      : null
  }
  if (!isRecording(action.mark)) return "--batch belongs to a mark that answers a hand-off"
  return strict ? textProblem(action.mark) : "--batch needs --strict"
}

/**
 * An invocation for programs: missing fields of `given` get the contract's defaults, and loop mode is the default
 * action. Throws a RangeError that names every setting the schema refuses, or what is wrong with the mark, as the
 * command line does.
 */
export const make = (
  given: typeof Settings.Encoded,
  action: Action = { _tag: "Loop", fresh: false }
): Invocation => {
  const settings = decode(given)
  if (Result.isFailure(settings)) throw new RangeError(settings.failure)
  const problem = markProblem(settings.success, action)
  if (problem !== null) throw new RangeError(problem)
  return { settings: settings.success, action }
}
