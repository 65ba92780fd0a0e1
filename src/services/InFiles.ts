// InFiles: the port to files that a person names for this program to read, such as an attestation.
// A file is read whole or not at all, and nothing but a plain file is ever read.
import { Context, type Effect, Schema } from "effect"
import { brief } from "../core/text/Untrusted.ts"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

/** Why a file could not be read. */
export const InFileReason = Schema.Union([
  SystemFault,
  Schema.TaggedStruct("NoPlainFile", {}),
  Schema.TaggedStruct("TooLarge", { most: Schema.Int })
])
export type InFileReason = typeof InFileReason.Type

const reasonText = (reason: InFileReason): string => {
  switch (reason._tag) {
    case "NoPlainFile":
      return "it is not a regular file [name another one]"
    case "TooLarge":
      return `it is larger than ${reason.most} bytes [name another file]`
    default:
      return `${systemFaultText(reason)} [name another file]`
  }
}

/** A file could not be read. */
export class InFileFailed extends Schema.TaggedError<InFileFailed>()("InFileFailed", {
  path: Schema.String,
  reason: InFileReason
}) {
  override get message() {
    return `${brief(this.path, 300)}: ${reasonText(this.reason)}`
  }
}

export class InFiles extends Context.Service<InFiles, {
  /** The text of a file of at most so many bytes, as UTF-8. `name` is as a person gave it in `cwd`. */
  readonly read: (cwd: string, name: string, most: number) => Effect.Effect<string, InFileFailed>
}>()("ooda-codex-review/services/InFiles") {}
