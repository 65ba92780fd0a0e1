// CodexResult: a codex agent's ending as a result of the contract, with the headers that the program itself can know.
import type { AgentKind } from "../log/Refs.ts"
import { brief, cut, oneLine } from "../text/Untrusted.ts"
import { type AgentEnding, type FailedReport, parseFailedReport } from "./AgentEnding.ts"
import { interruptedSentence } from "./CodexFailure.ts"
import { saysUndone } from "./Negation.ts"
import {
  type DecodedResult,
  decodeStated,
  type ExpectedResult,
  legacyResult,
  type ResultStatus,
  type Role
} from "./Result.ts"
import type { AgentState } from "./State.ts"

/** What the program knows of the work: its task, and its range `base..head`, or null if that is unknown. */
interface KnownWork {
  readonly taskId: string
  readonly range: string | null
  /** Whether the worktree changed or every finding is answered: only then may an answer omit its result. */
  readonly worked: boolean
}

/** A result with the agent's own text, whole, as its `body`. */
export interface AdaptedResult extends DecodedResult {
  readonly body: string
}

interface Adapting {
  readonly role: Role
  readonly known: KnownWork | null
  readonly body: string
}

const longestIssue = 1000
const firstLine = (text: string): string => text.split(/\r\n|[\n\r]/).find((line) => line.trim() !== "")?.trim() ?? ""
const reason = (text: string): string => firstLine(text) || "it gave no reason"
const seconds = (millis: number): number => Math.round(millis / 1000)

/** The result with the range that the program knows. A worker's pass without any range is not valid. */
const withRange = (result: DecodedResult, { known, body, role }: Adapting): AdaptedResult => {
  const isAsked = known !== null && role === "worker" && result.valid && result.status === "pass"
  if (!isAsked || Object.hasOwn(result.fields, "git_range")) return { ...result, body }
  return known.range === null
    ? { ...result, valid: false, status: null, problems: ["git_range is missing"], body }
    : { ...result, fields: { ...result.fields, git_range: known.range }, body }
}

const written = (
  status: ResultStatus,
  issues: string | null,
  adapting: Adapting,
  said: DecodedResult["fields"] = {}
): AdaptedResult => {
  const { known, role } = adapting
  // A range in free text may be any range: the range that the program knows comes first.
  const own = known === null || known.range === null ? said : {}
  const task = known === null ? {} : { task_id: known.taskId }
  const wrong = issues === null ? {} : { issues }
  const fields = { role, ...task, status, ...own, ...wrong }
  return withRange({ grammar: "v2", valid: true, status, fields, problems: [] }, adapting)
}

const error = (issues: string, adapting: Adapting): AdaptedResult =>
  written("error", brief(issues, longestIssue), adapting)

const reported = ({ summary }: FailedReport, adapting: Adapting): AdaptedResult =>
  error(summary || "the agent reported that it failed", adapting)

/** What a message states; for a caller without a run also in the words of earlier agents. */
const readBody = ({ body, known, role }: Adapting): DecodedResult => {
  // Without a known task, the caller compares the task.
  const taskId = known?.taskId ?? decodeStated(body, { role, taskId: "" }).fields["task_id"] ?? ""
  const stated = decodeStated(body, { role, taskId }, false)
  return stated.grammar === "v2" || known !== null || isHeaded(body) ? stated : legacyResult(body)
}

/** Whether a message tries to state its result: an unreadable result is not guessed. */
const isHeaded = (text: string): boolean => /^\ufeff?(?:role:|\s*(?:`{3,}\w*\s*)?\{)/.test(text)

// An answer to a finding describes the code, not the work.
const findingLine = /^.*\bfinding\b[^\n\p{L}\p{N}]*[0-9a-f]{16}[^\n\p{L}\p{N}]*(?:fixed|refuted|documented)\b.*$/gimu

// A worker that ended well has done its task if there is work to show and it says nothing else. A reviewer must say
// that the work passes.
const done = (adapting: Adapting): AdaptedResult => {
  const { body, known, role } = adapting
  if (body.trim() === "") return error("codex returned empty output", adapting)
  if (body.trim() === interruptedSentence) return error(`codex process failed: ${interruptedSentence}`, adapting)
  const report = parseFailedReport(body)
  if (report !== null) return reported(report, adapting)
  const said = readBody(adapting)
  if (said.grammar === "v2") return withRange(said, adapting)
  if (said.grammar === "legacy") {
    return said.status === "pass"
      ? written("pass", null, adapting, said.fields)
      : written("gaps", brief(firstLine(body), longestIssue), adapting)
  }
  if (role !== "worker") return written("gaps", "the reviewer did not say that the work passes", adapting)
  const isDone = known?.worked !== false && !isHeaded(body) && !saysUndone(body.replace(findingLine, ""))
  return isDone ? written("pass", null, adapting, said.fields) : { ...said, body }
}

const crashed = ({ exit, message }: Extract<AgentEnding, { readonly _tag: "Crashed" }>, adapting: Adapting) => {
  // An exit status below 100 without another cause is the program's own refusal, not a crash.
  if (exit === null || exit >= 100 || exit === 0) return error(`codex process failed: ${reason(message)}`, adapting)
  const said = oneLine(cut(message.trim(), 200).replace(/\s+/g, " "))
  return written("gaps", said || `codex ended with exit status ${exit} and gave no reason`, adapting)
}

/**
 * A codex agent's ending as a result. A reviewer passes only by saying so, never by an exit status of 0. With `known`,
 * a message that names another task is not valid, and a worker's pass gets its range; without it, the caller compares
 * `fields.task_id`, if the message names one, and finds the range.
 */
export const adaptCodexEnding = (role: Role, ending: AgentEnding, known: KnownWork | null = null): AdaptedResult => {
  const adapting = { role, known, body: ending.message }
  switch (ending._tag) {
    case "Done":
      return done(adapting)
    case "Reported":
      return reported(ending.report, adapting)
    case "Idle":
    case "Deadline":
      return error(`codex timed out after ${seconds(ending.after)}s`, adapting)
    case "Missing":
      return error(`codex unavailable - ${reason(ending.message)}`, adapting)
    case "Empty":
      return error(ending.unreadable ? "codex returned invalid output" : "codex returned empty output", adapting)
    case "Crashed":
      return crashed(ending, adapting)
    default:
      return error(`codex process failed: ${reason(ending.message)}`, adapting)
  }
}

// The ending of an agent as a result of the contract.
// Failures come first: what a failed step said never counts as a result.

/** Who was asked for what, and what the caller knows of the work. */
export interface AnswerContext extends ExpectedResult, KnownWork {
  readonly kind: AgentKind
  /** Whether its tool calls show that it has read anything; absent if they show neither. */
  readonly read?: AgentState["read"]
}

/** Why a reviewer's approval does not count if its tool calls show that it has read nothing. */
export const readNothing = "the reviewer read nothing: none of its commands succeeded"

const adapted = (asked: AnswerContext, ending: AgentEnding): DecodedResult => {
  const { body: _body, ...result } = adaptCodexEnding(asked.role, ending, asked)
  return result
}

const failed = (asked: AnswerContext, issues: string): DecodedResult => ({
  grammar: "none",
  valid: true,
  status: "error",
  fields: { role: asked.role, task_id: asked.taskId, status: "error", issues: brief(issues, 200) },
  problems: []
})

/** The result of an agent that ended. */
export const judgeAnswer = (asked: AnswerContext, ending: AgentEnding): DecodedResult => {
  const isCodex = asked.kind === "codex"
  if (ending._tag === "Done") {
    // Only codex ends well exactly if its turn did. Other programs and reviewers must state the whole result
    // themselves.
    if (isCodex && asked.role === "worker") return adapted(asked, ending)
    const result = decodeStated(ending.message, asked)
    const blind = asked.role !== "worker" && asked.read === "nothing" && result.status === "pass"
    return blind ? { ...result, valid: false, status: null, problems: [readNothing] } : result
  }
  if (isCodex) return adapted(asked, ending)
  return failed(asked, ending._tag === "Reported" ? ending.report.summary : `${ending._tag}: ${ending.message}`)
}
