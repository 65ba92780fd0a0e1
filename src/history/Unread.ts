// Unread: where a run stands whose log could not be read to its end.
import { newerText } from "../core/log/LineProblem.ts"
import { type LogReadError, unavailableText } from "../services/EventLog.ts"
import type { Standing } from "./Standing.ts"

const unread = {
  LogMissing: "Empty",
  LogDamaged: "Damaged",
  LogRewound: "Rewound",
  LogTooNew: "TooNew",
  LogUnavailable: "Unreadable"
} as const satisfies Record<LogReadError["_tag"], Standing["kind"]>

/** Where such a run stands. */
export const unreadable = (error: LogReadError): Standing => {
  switch (error._tag) {
    case "LogMissing":
      return { kind: unread[error._tag], text: "empty: no log" }
    case "LogDamaged":
      return { kind: unread[error._tag], text: `damaged at line ${error.line}: ${error.kind}` }
    case "LogRewound":
      return { kind: unread[error._tag], text: `the log was ${error.kind}` }
    case "LogTooNew":
      return { kind: unread[error._tag], text: `needs a newer version: ${newerText(error.reason)}` }
    case "LogUnavailable":
      return { kind: unread[error._tag], text: unavailableText(error.reason) }
  }
}
