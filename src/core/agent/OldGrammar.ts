// OldGrammar: the events that codex wrote before, inside `msg`, told apart by their `type`.
import type { AgentEvent, FileChange, RateWindow } from "./AgentEvent.ts"
import { type Fields, isFields, numberOrNull, objectsOf, textOf, textOrNull, wholeOrNull } from "../text/Fields.ts"
import { commandText, kindOf } from "./PresentGrammar.ts"
import { usageFrom } from "./UsageFields.ts"

const millisOf = (duration: unknown): number | null => {
  if (!isFields(duration)) return null
  const secs = numberOrNull(duration["secs"])
  return secs === null ? null : Math.round(secs * 1000 + (numberOrNull(duration["nanos"]) ?? 0) / 1e6)
}

const windowOf = (value: unknown): ReadonlyArray<RateWindow> => {
  if (!isFields(value)) return []
  const usedPercent = numberOrNull(value["used_percent"])
  if (usedPercent === null) return []
  const resetsInSeconds = numberOrNull(value["resets_in_seconds"])
  return [{ usedPercent, minutes: numberOrNull(value["window_minutes"]), resetsInSeconds }]
}

const limitsOf = (value: unknown): ReadonlyArray<RateWindow> =>
  isFields(value) ? [...windowOf(value["primary"]), ...windowOf(value["secondary"])] : []

// `{"a.txt": {"add": {…}}}`, or with the kind as a field of its own.
const changesOf = (value: unknown): ReadonlyArray<FileChange> =>
  isFields(value)
    ? Object.entries(value).map(([path, change]) => {
      const named = isFields(change) ? Object.keys(change).find((name) => kindOf(name) !== "unknown") : undefined
      return { path, kind: kindOf(named ?? (isFields(change) ? change["type"] : change)) }
    })
    : []

const firstText = (...values: ReadonlyArray<unknown>): string =>
  values.find((value): value is string => typeof value === "string") ?? ""

const events: Readonly<Record<string, (msg: Fields) => AgentEvent | null>> = {
  task_started: ({ model_context_window }) => ({
    _tag: "TaskStarted",
    contextWindow: wholeOrNull(model_context_window)
  }),
  agent_reasoning: ({ text }) => ({ _tag: "AgentReasoning", text: textOf(text) }),
  agent_reasoning_section_break: () => ({ _tag: "AgentReasoningSectionBreak" }),
  agent_message: ({ message }) => typeof message === "string" ? { _tag: "AgentMessage", message } : null,
  exec_command_begin: ({ call_id, command, cwd }) => ({
    _tag: "ExecCommandBegin",
    callId: textOf(call_id),
    command: commandText(command),
    cwd: textOrNull(cwd)
  }),
  exec_command_output_delta: ({ call_id }) => ({ _tag: "ExecCommandOutputDelta", callId: textOf(call_id) }),
  exec_command_end: ({ aggregated_output, call_id, duration, exit_code, formatted_output, stdout }) => ({
    _tag: "ExecCommandEnd",
    callId: textOf(call_id),
    exitCode: wholeOrNull(exit_code),
    output: firstText(formatted_output, aggregated_output, stdout),
    millis: millisOf(duration)
  }),
  token_count: ({ info, rate_limits }) => ({
    _tag: "TokenCount",
    usage: isFields(info) ? usageFrom(info["total_token_usage"]) : null,
    contextWindow: isFields(info) ? wholeOrNull(info["model_context_window"]) : null,
    limits: limitsOf(rate_limits)
  }),
  plan_update: ({ explanation, plan }) => ({
    _tag: "PlanUpdate",
    explanation: textOrNull(explanation),
    plan: objectsOf(plan).map(({ status, step }) => ({ text: textOf(step), completed: status === "completed" }))
  }),
  turn_diff: ({ unified_diff }) => ({ _tag: "TurnDiff", diff: textOf(unified_diff) }),
  patch_apply_begin: ({ changes }) => ({ _tag: "PatchApplyBegin", changes: changesOf(changes) }),
  patch_apply_end: ({ success }) => ({ _tag: "PatchApplyEnd", success: success === true }),
  task_complete: ({ last_agent_message }) => ({ _tag: "TaskComplete", lastMessage: textOrNull(last_agent_message) })
}

/** The event of a `msg`; null for one that is not described. */
export const oldEvent = (msg: Fields): AgentEvent | null => {
  const type = textOrNull(msg["type"])
  return type !== null && Object.hasOwn(events, type) ? events[type]?.(msg) ?? null : null
}
