// PlainFiles: the port to small files that a directory keeps for this program, or a commit of a repository.
// The author of a change must not say how it is judged: then such a file is read from a commit that is trusted.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { RunRef } from "../log/Refs.ts"
import type { BranchName } from "../run/Target.ts"
import { ProgramFault, programFaultText, SystemFault, systemFaultText } from "../platform/SystemFault.ts"

/**
 * Where a file is read: from a directory of the user, a worktree, the commit of a base branch, a commit, or the code
 * that the first batch of a run reviewed, and before it the worktree. Of a worktree no file is read that git ignores:
 * it is in no identity and in no snapshot.
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
  /** It was to be made. */
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
  /** The text of `name` below the root of a directory or, from a commit, of its repository; empty without it. */
  readonly read: (root: string, name: string, from: PlainFileFrom) => Effect.Effect<string, PlainFileFailed>
  /** Makes `name` below the root of a worktree, with the directory that it lies in. */
  readonly create: (root: string, name: string, text: string) => Effect.Effect<void, PlainFileFailed>
}>()("ooda-codex-review/services/PlainFiles") {}
