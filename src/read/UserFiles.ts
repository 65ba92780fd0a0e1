// UserFiles: files that a person names for reading or writing.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { SystemFault, systemFaultText } from "../platform/SystemFault.ts"
import { brief } from "../text/Untrusted.ts"

// The port to files that a person names for this program to read, such as an attestation.
// A file is read whole or not at all, and nothing but a plain file is ever read.

/** Why a file could not be read. */
export const InFileReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("NoPlainFile", {}),
  Schema.TaggedStruct("TooLarge", { most: Schema.Int })
])
export type InFileReason = typeof InFileReason.Type

const inReasonText = (reason: InFileReason): string => {
  switch (reason._tag) {
    case "NoPlainFile":
      return "it is not a regular file [name another one]"
    case "TooLarge":
      return `it is larger than ${reason.most} bytes [name another file]`
    default: {
      const isMissing = reason._tag === "SystemRefused" && reason.code === "ENOENT"
      return `${isMissing ? "no such file" : systemFaultText(reason)} [name another file]`
    }
  }
}

/** A file could not be read. */
export class InFileFailed extends Schema.TaggedError<InFileFailed>()("InFileFailed", {
  path: Schema.String,
  reason: InFileReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${brief(this.path, 300)}: ${inReasonText(this.reason)}`
  }
}

export class InFiles extends Context.Service<InFiles, {
  /** The text of a file of at most so many bytes, as UTF-8. `name` is as a person gave it in `cwd`. */
  readonly read: (cwd: string, name: string, most: number) => Effect.Effect<string, InFileFailed>
}>()("ooda-codex-review/services/InFiles") {}

// The port to files that a person asks for by name, such as a report.
// A file is there whole or not at all, and nothing but a plain file is ever replaced.

/** Why a file could not be written: its directory is missing, something else has its name, or the system refused. */
export const OutFileReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("NoDirectory", { directory: Schema.String }),
  Schema.TaggedStruct("IsDirectory", {}),
  /** It lies in the worktree, where it would be unreviewed code. `call`: a call that writes beside it. */
  Schema.TaggedStruct("IsCode", { worktree: Schema.String, call: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("IsGit", {}),
  Schema.TaggedStruct("NoPlainFile", {})
])
export type OutFileReason = typeof OutFileReason.Type

const outReasonText = (reason: OutFileReason): string => {
  switch (reason._tag) {
    case "NoDirectory":
      return `there is no directory ${brief(reason.directory, 300)} [make it, or name another file]`
    case "IsDirectory":
      return "it is a directory [name a file in it]"
    case "IsCode":
      return `it lies in the worktree ${
        brief(reason.worktree, 300)
      } and git does not ignore it, so it would count as ` +
        `an unreviewed change [${reason.call ?? "name a file outside, or have git ignore it"}]`
    case "IsGit":
      return "it lies in a git directory, in which git alone writes [name a file outside]"
    case "NoPlainFile":
      return "it is not a regular file [name another one, or leave the flag out and redirect standard output]"
    default:
      return `${systemFaultText(reason)} [name another file]`
  }
}

/** A file could not be written. Its old contents are still there. */
export class OutFileFailed extends Schema.TaggedError<OutFileFailed>()("OutFileFailed", {
  path: Schema.String,
  reason: OutFileReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${brief(this.path, 300)}: ${outReasonText(this.reason)}`
  }
}

export class OutFiles extends Context.Service<OutFiles, {
  /**
   * Writes a file, or replaces it as a whole; a link to one stays a link. `name` is as a person gave it in `cwd`. A
   * file that would be code of the worktree around `cwd`, or part of a git directory, is refused.
   */
  readonly write: (cwd: string, name: string, text: string) => Effect.Effect<void, OutFileFailed>
}>()("ooda-codex-review/services/OutFiles") {}
