// What a review says: clean, issues, or that no review took place.
// Rule: a false Clean is the worst answer; structure and failure decide, praise never does.
import { Schema } from "effect"

/** Where a verdict was read: codex's session file, its separate standard output, or after the marker. */
export const VerdictSource = Schema.Literals(["session", "stdout", "marker"])
export type VerdictSource = typeof VerdictSource.Type

/** The three classes. `NoReview` is a failed slot, never a clean one. */
export const VerdictClass = Schema.Literals(["Clean", "HasIssues", "NoReview"])
export type VerdictClass = typeof VerdictClass.Type
