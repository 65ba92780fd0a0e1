// ProgramFault: why a helper program gave no answer: a tagged reason in the errors of several ports.
import { Schema } from "effect"

/** The program is not there, was too slow, or failed: `said` is its complaint, `status` null for a death by signal. */
export const ProgramFault = Schema.Union([
  Schema.TaggedStruct("ProgramMissing", { program: Schema.String }),
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
      return `${fault.program} is not installed or not on PATH`
    case "ProgramTooSlow":
      return `${fault.program} did not answer in time`
    case "ProgramFailed": {
      if (fault.said !== "") return fault.said
      return `${fault.program} ended with ${fault.status === null ? "a signal" : `exit status ${fault.status}`}`
    }
  }
}
