// Invocation: what one call is to do, and its settings.
import { Result } from "effect"
import type { Mark } from "./Mark.ts"
import { decode, type Settings } from "./Settings.ts"

/** One of the two modes, or the inspecting variant of the loop (`--inspect`). */
export type Action =
  | { readonly _tag: "Loop"; readonly fresh: boolean }
  | { readonly _tag: "Inspect" }
  | { readonly _tag: "SideEffect"; readonly mark: Mark }

/** A valid step. */
export interface Invocation {
  readonly settings: Settings
  readonly action: Action
}

/**
 * An invocation for programs: what `given` leaves out is the contract's default, and loop mode is the default action.
 * Throws a RangeError that names every setting the schema refuses, as the command line would.
 */
export const make = (
  given: typeof Settings.Encoded,
  action: Action = { _tag: "Loop", fresh: false }
): Invocation => {
  const settings = decode(given)
  if (Result.isFailure(settings)) throw new RangeError(settings.failure)
  return { settings: settings.success, action }
}
