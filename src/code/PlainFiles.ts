// PlainFiles: the port to small files of this program in a directory or in a commit of a repository.
// The author of a change must not decide how it is judged: in such cases a file is read from a trusted commit.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { RunRef } from "../log/Refs.ts"
import type { BranchName } from "../run/Target.ts"
import { ProgramFault, programFaultText, SystemFault, systemFaultText } from "../platform/SystemFault.ts"

/**
 * Where a file is read: from a directory of the user, a worktree, the commit of a base branch, a commit, or the code of
 * a run's first batch, and before that the worktree. A file that git ignores is not read from a worktree: it is in no
 * identity and in no snapshot.
 */
export type PlainFileFrom =
  | { readonly _tag: "Directory" }
  | { readonly _tag: "Worktree" }
  | { readonly _tag: "Base"; readonly branch: BranchName }
  | { readonly _tag: "Revision"; readonly revision: string }
  | { readonly _tag: "First"; readonly run: RunRef }

/** Why a file could not be read. */
export const PlainFileReason = Schema.Union([
  SystemFault,
  ProgramFault,
  Schema.TaggedStruct("NoCommit", { revision: Schema.String }),
  Schema.TaggedStruct("NoPlainFile", {}),
  Schema.TaggedStruct("Ignored", {}),
  /** The file to be created exists. */
  Schema.TaggedStruct("Exists", {}),
  Schema.TaggedStruct("TooLarge", { most: Schema.Int })
])
export type PlainFileReason = typeof PlainFileReason.Type

/** The reason in words for people. */
export const plainFileReasonText = (reason: PlainFileReason): string => {
  switch (reason._tag) {
    case "NoCommit":
      return `${reason.revision} names no commit here`
    case "NoPlainFile":
      return "not a regular file (links are not followed)"
    case "Ignored":
      return "git ignores it"
    case "Exists":
      return "it exists already [edit it]"
    case "TooLarge":
      return `it is larger than ${reason.most} bytes`
    case "ProgramMissing":
    case "ProgramTooSlow":
    case "ProgramFailed":
      return programFaultText(reason)
    default:
      return systemFaultText(reason)
  }
}

/** A file cannot be read. */
export class PlainFileFailed extends Schema.TaggedError<PlainFileFailed>()("PlainFileFailed", {
  name: Schema.String,
  reason: PlainFileReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.name}: ${plainFileReasonText(this.reason)}`
  }
}

export class PlainFiles extends Context.Service<PlainFiles, {
  /** The text of `name` in the root directory or, from a commit, in its repository; empty if the file is missing. */
  readonly read: (root: string, name: string, from: PlainFileFrom) => Effect.Effect<string, PlainFileFailed>
  /** Creates `name` below the root of a worktree, with its directory. */
  readonly create: (root: string, name: string, text: string) => Effect.Effect<void, PlainFileFailed>
}>()("ooda-codex-review/services/PlainFiles") {}
