// Invocation: what one call is to do, and its settings.
import { Result } from "effect"
import type { Level } from "../run/Level.ts"
import { isRecording, type Mark } from "./Mark.ts"
import { decode, type Settings } from "./Settings.ts"

/** The hand-off that a mark on a strict run answers: its batch, and its run where that is named. */
export interface Answers {
  readonly level: Level
  readonly batch: number
  readonly run: string | null
}

/** One of the two modes, or the inspecting variant of the loop (`--inspect`). */
export type Action =
  | { readonly _tag: "Loop"; readonly fresh: boolean }
  | { readonly _tag: "Inspect" }
  | { readonly _tag: "SideEffect"; readonly mark: Mark; readonly answers?: Answers }

/** A valid step. */
export interface Invocation {
  readonly settings: Settings
  readonly action: Action
}

/** What is wrong with the batch that a mark answers or fails to name, or null. */
export const answersProblem = ({ strict }: Settings, action: Action): string | null => {
  if (action._tag !== "SideEffect") return null
  if (action.answers === undefined) {
    return strict && isRecording(action.mark)
      ? "with --strict a mark needs --batch LEVEL/N, the batch that it answers; its hand-off names it"
      : null
  }
  if (!isRecording(action.mark)) return "--batch belongs to a mark that answers a hand-off"
  return strict ? null : "--batch needs --strict"
}

/**
 * An invocation for programs: what `given` leaves out is the contract's default, and loop mode is the default action.
 * Throws a RangeError that names every setting the schema refuses, and a mark's missing or needless batch, as the
 * command line would.
 */
export const make = (
  given: typeof Settings.Encoded,
  action: Action = { _tag: "Loop", fresh: false }
): Invocation => {
  const settings = decode(given)
  if (Result.isFailure(settings)) throw new RangeError(settings.failure)
  const problem = answersProblem(settings.success, action)
  if (problem !== null) throw new RangeError(problem)
  return { settings: settings.success, action }
}
