// ReviewTokens: the recorded sources of verdicts and states of reviewers.
// Tokens are never renamed.
import { Schema } from "effect"

/**
 * The source of a verdict:
 *
 * - `session`: codex's session file, as it recorded the review;
 * - `stdout`: the reviewer's separate standard output, whole;
 * - `marker`: the text after the last line `codex` of a reviewer that prints everything to one stream.
 *
 * Separate from the classifier, because every step reads events and few steps read a review.
 */
export const VerdictSource = Schema.Literals(["session", "stdout", "marker"])
export type VerdictSource = typeof VerdictSource.Type

/** How a reviewer is known to have read the change: it was in the prompt, tools read it, or nothing shows it. */
export const HowRead = Schema.Literals(["given", "tools", "not-shown"])
export type HowRead = typeof HowRead.Type

/**
 * The result of one look at an attempt. `silentFor` is the time since its transcript last made progress; `oversize`:
 * the wrapper ended it because its transcript outgrew its limit while no step was looking. `answered`: codex has
 * recorded its whole review, but the process lives on.
 */
export type ReviewerState =
  | {
    readonly _tag: "Alive"
    readonly silentFor: number
    readonly waitingForNetwork: number
    readonly bytes: number
    readonly answered?: true
  }
  | { readonly _tag: "Exited"; readonly status: number; readonly deadline: boolean; readonly oversize?: boolean }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Unstarted" }
