// JudgeAnswer: how an agent ended, held against the result contract.
// Failures are looked for first: what a failed step said is never taken for a result.
import { brief } from "../text/Untrusted.ts"
import type { AgentEnding } from "./AgentEnding.ts"
import { type AdaptedResult, adaptCodexEnding } from "./CodexResult.ts"
import { type DecodedResult, decodeResult, type Expected } from "./Result.ts"
import type { AgentKind } from "./Task.ts"

/** Who was asked for what, and the range of the work as the caller knows it, `base..head`. */
export interface Asked extends Expected {
  readonly kind: AgentKind
  readonly range: string | null
}

const header = (name: string, value: string | null): ReadonlyArray<string> =>
  value === null ? [] : [`${name}: ${value}`]

/** The message with the headers that the agent left out and the program knows. */
const completed = (text: string, fields: DecodedResult["fields"], { range, taskId }: Asked): string => {
  const [first = "", ...rest] = text.split(/\r\n|\n|\r/)
  const missing = (name: string): boolean => !Object.hasOwn(fields, name)
  const added = [
    ...(missing("task_id") ? header("task_id", taskId) : []),
    ...(missing("git_range") && fields["status"] === "pass" ? header("git_range", range) : [])
  ]
  return [first, ...added, ...rest].join("\n")
}

const written = ({ body, issues, role, status }: AdaptedResult, { range, taskId }: Asked): string =>
  [
    `role: ${role}`,
    `task_id: ${taskId}`,
    `status: ${status}`,
    ...header("git_range", range),
    ...header("issues", issues === null ? null : brief(issues, 200)),
    "",
    body
  ].join("\n")

const failed = (asked: Asked, { issues, status }: Pick<AdaptedResult, "issues" | "status">): DecodedResult => ({
  grammar: "none",
  valid: true,
  status,
  fields: { role: asked.role, task_id: asked.taskId, status, issues: brief(issues ?? "", 200) },
  problems: []
})

const answered = (asked: Asked, ending: Extract<AgentEnding, { readonly _tag: "Done" }>): DecodedResult => {
  const said = decodeResult(ending.message, asked)
  // Only codex ends well exactly when its turn did; of other programs everything must be said.
  if (asked.kind !== "codex" || asked.role !== "worker") return said
  if (said.grammar !== "v2") return decodeResult(written(adaptCodexEnding(asked.role, ending), asked), asked)
  return said.valid ? said : decodeResult(completed(ending.message, said.fields, asked), asked)
}

/** The result of an agent that ended. */
export const judgeAnswer = (asked: Asked, ending: AgentEnding): DecodedResult => {
  if (ending._tag === "Done") return answered(asked, ending)
  if (asked.kind === "codex") return failed(asked, adaptCodexEnding(asked.role, ending))
  const issues = ending._tag === "Reported" ? ending.report.summary : `${ending._tag}: ${ending.message}`
  return failed(asked, { status: "error", issues })
}
