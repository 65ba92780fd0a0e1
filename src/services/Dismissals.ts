// Dismissals: the port to the dismissals that a repository keeps for everybody: `.ooda/dismissals.jsonl`.
// The author of a change must not dismiss findings about it: then dismissals are read from a commit that is trusted.
import { Context, type Effect, Schema } from "effect"
import type { BranchName } from "../core/run/Target.ts"
import { ProgramFault, programFaultText } from "./ProgramFault.ts"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

/** Where the dismissals are read: from the working copy, from what a base branch stands for, from a commit. */
export type DismissalsFrom =
  | { readonly _tag: "Worktree" }
  | { readonly _tag: "Base"; readonly branch: BranchName }
  | { readonly _tag: "Revision"; readonly revision: string }

/** The file and the directory it lies in, relative to the worktree's root. */
export const dismissalsName = ".ooda/dismissals.jsonl"

/** Why dismissals could not be read or added. */
export const DismissalsReason = Schema.Union([
  SystemFault,
  ProgramFault,
  Schema.TaggedStruct("NoCommit", { revision: Schema.String }),
  Schema.TaggedStruct("NoPlainFile", {}),
  Schema.TaggedStruct("Ignored", {}),
  Schema.TaggedStruct("TooLarge", { most: Schema.Int }),
  Schema.TaggedStruct("NoDismissal", { line: Schema.Int })
])
export type DismissalsReason = typeof DismissalsReason.Type

const reasonText = (reason: DismissalsReason): string => {
  switch (reason._tag) {
    case "NoCommit":
      return `${reason.revision} names no commit here`
    case "NoPlainFile":
      return "it is not a regular file, or .ooda is not a directory; links are not followed"
    case "Ignored":
      return "git ignores it, so that adding to it causes no new review; stop ignoring it, " +
        "or dismiss with --scope run"
    case "TooLarge":
      return `it is larger than ${reason.most} bytes`
    case "NoDismissal":
      return `line ${reason.line} is not a valid dismissal; correct or remove that line`
    case "ProgramMissing":
    case "ProgramTooSlow":
    case "ProgramFailed":
      return programFaultText(reason)
    default:
      return systemFaultText(reason)
  }
}

/** The repository's dismissals cannot be read, or one cannot be added. */
export class DismissalsFailed extends Schema.TaggedError<DismissalsFailed>()("DismissalsFailed", {
  reason: DismissalsReason
}) {
  override get message() {
    return `${dismissalsName}: ${reasonText(this.reason)}`
  }
}

export class Dismissals extends Context.Service<Dismissals, {
  /** The lines of the repository's dismissals; the empty text where there are none. */
  readonly read: (worktree: string, from: DismissalsFrom) => Effect.Effect<string, DismissalsFailed>
  /** Adds a line, without its newline, to those of the working copy. Durable when it returns. */
  readonly add: (worktree: string, line: string) => Effect.Effect<void, DismissalsFailed>
}>()("ooda-codex-review/services/Dismissals") {}
