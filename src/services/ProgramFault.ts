// ProgramFault: why a helper program gave no answer: a tagged reason in the errors of several ports.
import { Schema } from "effect"

/**
 * The program is not there (but at `skipped`, in a directory of PATH that is not searched), was too slow, or failed:
 * `said` is its complaint, `status` null for a death by signal.
 */
export const ProgramFault = Schema.Union([
  Schema.TaggedStruct("ProgramMissing", { program: Schema.String, skipped: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("ProgramTooSlow", { program: Schema.String }),
  Schema.TaggedStruct("ProgramFailed", {
    program: Schema.String,
    status: Schema.NullOr(Schema.Int),
    said: Schema.String
  })
])
export type ProgramFault = typeof ProgramFault.Type

/** The fault in one line. */
export const programFaultText = (fault: ProgramFault): string => {
  switch (fault._tag) {
    case "ProgramMissing":
      if (fault.skipped === undefined) return `${fault.program} is not installed or not on PATH`
      return `${fault.skipped} is not run, because its directory in PATH is relative, leads into the repository, ` +
        "or has programs that are links into it"
    case "ProgramTooSlow":
      return `${fault.program} did not answer in time`
    case "ProgramFailed": {
      if (fault.said !== "") return fault.said
      return `${fault.program} ended with ${fault.status === null ? "a signal" : `exit status ${fault.status}`}`
    }
  }
}
