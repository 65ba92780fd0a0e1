// CodexResult: a codex agent's ending as a result of the contract, with the headers that the program itself can know.
import { cut } from "../text/Untrusted.ts"
import type { AgentEnding } from "./AgentEnding.ts"
import { decodeResult, type ResultStatus, type Role } from "./Result.ts"

/** A result of version 2 without its task and its range: the caller knows both. `body` is the agent's own text. */
export interface AdaptedResult {
  readonly role: Role
  readonly status: ResultStatus
  readonly issues: string | null
  readonly body: string
}

const firstLine = (text: string): string => text.split(/\r\n|[\n\r]/).find((line) => line.trim() !== "")?.trim() ?? ""
const seconds = (millis: number): number => Math.round(millis / 1000)

// A worker that ended well has done its task, unless its own headers say otherwise. A reviewer has said nothing yet.
const done = (role: Role, text: string): AdaptedResult => {
  const taskId = /^task_id:[ \t]*(.*)$/m.exec(text)?.[1]?.trim() ?? ""
  const { fields, grammar, status } = decodeResult(text, { role, taskId })
  const said = role === "worker" && grammar !== "v2" ? "pass" : status
  if (said === "pass" || (role === "worker" && said === null)) return { role, status: "pass", issues: null, body: text }
  const unsaid = "the reviewer did not say that the work passes"
  return {
    role,
    status: said ?? "gaps",
    issues: fields["issues"] ?? (said === null ? unsaid : firstLine(text)),
    body: text
  }
}

/** A codex agent's ending as a result. An exit status of 0 is never a reviewer's pass: that must be said. */
export const adaptCodexEnding = (role: Role, ending: AgentEnding): AdaptedResult => {
  const error = (issues: string): AdaptedResult => ({ role, status: "error", issues, body: ending.message })
  switch (ending._tag) {
    case "Done":
      return done(role, ending.message)
    case "Reported":
      return error(ending.report.summary === "" ? "the agent reported that it failed" : ending.report.summary)
    case "Idle":
    case "Deadline":
      return error(`codex timed out after ${seconds(ending.after)}s`)
    case "Missing":
      return error(`codex unavailable - ${firstLine(ending.message)}`)
    case "Empty":
      return error(ending.unreadable ? "codex returned invalid output" : "codex returned empty output")
    case "Crashed":
      // A status below 100 that nothing explains is the program's own no, not its crash.
      return ending.exit === null || ending.exit >= 100 || ending.exit === 0
        ? error(`codex process failed: ${firstLine(ending.message)}`)
        : { role, status: "gaps", issues: cut(ending.message, 200), body: ending.message }
    case "Interrupted":
    case "Login":
    case "Quota":
    case "RateLimited":
    case "ContextWindow":
    case "Overloaded":
    case "Stream":
    case "SandboxDenied":
    case "BadArguments":
      return error(`codex process failed: ${firstLine(ending.message)}`)
  }
}
