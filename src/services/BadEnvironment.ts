// BadEnvironment: the program cannot work as it was called; nothing has been started or written yet.
import { Schema } from "effect"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

const Reason = Schema.Union([
  Schema.TaggedStruct("NoDirectory", {}),
  Schema.TaggedStruct("BadInterval", { text: Schema.String }),
  Schema.TaggedStruct("BadLogLevel", { text: Schema.String, expected: Schema.String }),
  Schema.TaggedStruct("LogFileUnusable", { path: Schema.String, fault: SystemFault }),
  Schema.TaggedStruct("LogFileReviewed", { path: Schema.String })
])

const text = (reason: typeof Reason.Type): string => {
  switch (reason._tag) {
    case "NoDirectory":
      return "the current directory does not exist any more"
    case "BadInterval":
      return `OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "${reason.text}"`
    case "BadLogLevel":
      return `OODA_LOG_LEVEL "${reason.text}": ${reason.expected}`
    case "LogFileUnusable":
      return `the log file ${reason.path} cannot be written: ${systemFaultText(reason.fault)}`
    case "LogFileReviewed":
      return `the log file ${reason.path} would change the code under review with every entry; ` +
        "name a file outside the worktree, or one that git ignores"
  }
}

/** The current directory is gone, a variable holds no usable value, or the log file cannot be used. */
export class BadEnvironment extends Schema.TaggedError<BadEnvironment>()("BadEnvironment", { reason: Reason }) {
  override get message() {
    return text(this.reason)
  }
}
