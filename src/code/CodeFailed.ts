// CodeFailed: why the code could not be frozen, copied or put back.
import { Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import { ProgramFault, programFaultText, SystemFault, systemFaultText } from "../platform/SystemFault.ts"
import { oneLine } from "../text/Untrusted.ts"

/**
 * The system or git refused, or `Refused`: something about the repository, with what to do about it. `place` is what
 * the call was about.
 */
export const CodeReason = Schema.Union([
  Schema.TaggedStruct("Refused", { said: Schema.String }),
  Schema.TaggedStruct("Git", { what: Schema.String, fault: ProgramFault }),
  Schema.TaggedStruct("System", { place: Schema.String, fault: SystemFault })
])
export type CodeReason = typeof CodeReason.Type

// If git failed, GitComplaint.ts has put a remedy behind its complaint.
const remedies = {
  ProgramMissing: " [install git, or put it on PATH]",
  ProgramTooSlow: " [call again, or raise --identity-timeout]",
  ProgramFailed: ""
} as const satisfies Record<ProgramFault["_tag"], string>

/** Why git gave no answer, and what helps. */
export const gitFaultText = (what: string, fault: ProgramFault): string =>
  `git: ${what}: ${programFaultText(fault)}${remedies[fault._tag]}`

const reasonText = (reason: CodeReason): string => {
  switch (reason._tag) {
    case "Refused":
      return reason.said
    case "Git":
      return gitFaultText(reason.what, reason.fault)
    case "System":
      return `${reason.place}: ${systemFaultText(reason.fault, reason.place)}`
  }
}

/** The code could not be frozen, copied or put back. */
export class CodeFailed extends Schema.TaggedError<CodeFailed>()("CodeFailed", { reason: CodeReason }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return oneLine(reasonText(this.reason))
  }
}

/** A failure with one message about the repository. */
export const refused = (said: string): CodeFailed => new CodeFailed({ reason: { _tag: "Refused", said } })
