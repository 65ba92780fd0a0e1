// BadEnvironment: the program cannot work as it was called; nothing has been started or written yet.
import { Schema } from "effect"
import { brief } from "../core/text/Untrusted.ts"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

const Reason = Schema.Union([
  Schema.TaggedStruct("NoDirectory", {}),
  Schema.TaggedStruct("BadInterval", { text: Schema.String }),
  Schema.TaggedStruct("BadLogLevel", { text: Schema.String, expected: Schema.String }),
  Schema.TaggedStruct("LogFileUnusable", { path: Schema.String, fault: SystemFault }),
  Schema.TaggedStruct("LogFileReviewed", { path: Schema.String })
])

// The system's reasons in words, without the path, which the message names.
const ofPaths: Readonly<Record<string, string>> = {
  ENOENT: "its directory does not exist",
  ENOTDIR: "a part of its path is no directory",
  EISDIR: "it is a directory",
  ENXIO: "nobody reads it",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links lead in a circle"
}

const faultText = (fault: SystemFault): string => {
  const words = fault._tag === "SystemRefused" ? ofPaths[fault.code ?? ""] : undefined
  return words ?? systemFaultText(fault)
}

const text = (reason: typeof Reason.Type): string => {
  switch (reason._tag) {
    case "NoDirectory":
      return "the current directory does not exist any more [change to the repository to review]"
    case "BadInterval":
      return `OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "${brief(reason.text, 80)}"`
    case "BadLogLevel":
      return `OODA_LOG_LEVEL "${brief(reason.text, 80)}": ${reason.expected}`
    case "LogFileUnusable":
      return `the log file ${brief(reason.path, 300)} cannot be written: ${faultText(reason.fault)} ` +
        "[name another with --log-file or OODA_LOG_FILE]"
    case "LogFileReviewed":
      return `the log file ${brief(reason.path, 300)} would change the code under review with every entry; ` +
        "name a file outside the worktree, or one that git ignores"
  }
}

/** The current directory is gone, a variable holds no usable value, or the log file cannot be used. */
export class BadEnvironment extends Schema.TaggedError<BadEnvironment>()("BadEnvironment", { reason: Reason }) {
  override get message() {
    return text(this.reason)
  }
}
