// LoggedEnding: how an agent ended, told from its last event and the words that it ended with.
import { type AgentEnding, failureOf } from "./AgentEnding.ts"
import { parseFailedReport } from "./FailedReport.ts"
import type { AgentLimits } from "./Task.ts"
import type { TaskEventOf } from "./TaskEvent.ts"

const failed = (
  { exit, failure }: TaskEventOf<"AgentFailed">,
  message: string,
  { idle, timeout }: AgentLimits
): AgentEnding => {
  const told = failureOf(message, exit)
  if (told._tag === failure) return told
  switch (failure) {
    case "Quota":
      return { _tag: failure, message, until: null }
    case "RateLimited":
      return { _tag: failure, message, after: null }
    case "Idle":
      return { _tag: failure, message, after: idle }
    case "Deadline":
      return { _tag: failure, message, after: timeout }
    case "Crashed":
      return { _tag: failure, message, exit }
    case "Empty":
      return { _tag: failure, message, unreadable: false }
    default:
      return { _tag: failure, message }
  }
}

/** The ending that an event told of. `message` is the whole of the event's message; `limits` are the task's. */
export const loggedEnding = (
  event: TaskEventOf<"AgentFinished" | "AgentFailed">,
  message: string,
  limits: AgentLimits
): AgentEnding => {
  if (event._tag === "AgentFailed") return failed(event, message, limits)
  const report = event.ending === "Reported" ? parseFailedReport(message) : null
  return report === null ? { _tag: "Done", message } : { _tag: "Reported", message, report }
}
