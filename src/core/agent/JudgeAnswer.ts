// JudgeAnswer: how an agent ended, held against the result contract.
// Failures are looked for first: what a failed step said is never taken for a result.
import { brief } from "../text/Untrusted.ts"
import type { AgentEnding } from "./AgentEnding.ts"
import { adaptCodexEnding, type Known } from "./CodexResult.ts"
import { type DecodedResult, decodeStated, type Expected } from "./Result.ts"
import type { AgentKind } from "../run/AgentKind.ts"

/** Who was asked for what, and what the caller knows of the work. */
export interface Asked extends Expected, Known {
  readonly kind: AgentKind
}

const adapted = (asked: Asked, ending: AgentEnding): DecodedResult => {
  const { body: _body, ...result } = adaptCodexEnding(asked.role, ending, asked)
  return result
}

const failed = (asked: Asked, issues: string): DecodedResult => ({
  grammar: "none",
  valid: true,
  status: "error",
  fields: { role: asked.role, task_id: asked.taskId, status: "error", issues: brief(issues, 200) },
  problems: []
})

/** The result of an agent that ended. */
export const judgeAnswer = (asked: Asked, ending: AgentEnding): DecodedResult => {
  const isCodex = asked.kind === "codex"
  if (ending._tag === "Done") {
    // Only codex ends well exactly when its turn did. Other programs and reviewers must state the whole
    // result themselves.
    return isCodex && asked.role === "worker" ? adapted(asked, ending) : decodeStated(ending.message, asked)
  }
  if (isCodex) return adapted(asked, ending)
  return failed(asked, ending._tag === "Reported" ? ending.report.summary : `${ending._tag}: ${ending.message}`)
}
