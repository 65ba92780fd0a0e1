// VerdictSource: where a verdict was read, as a token of events.
// The one rule: sources are named best first, and a token that has landed is never renamed.
import { Schema } from "effect"

/**
 * Where a verdict was read:
 *
 * - `session`: codex's session file, as it recorded the review;
 * - `stdout`: the reviewer's separate standard output, whole;
 * - `marker`: the text behind the last line `codex` of a reviewer that prints everything to one stream.
 *
 * Kept apart from the classifier, because every step reads events and few steps read a review.
 */
export const VerdictSource = Schema.Literals(["session", "stdout", "marker"])
export type VerdictSource = typeof VerdictSource.Type
