// CodexLines: the lines of `codex exec --json` as events, in the present grammar and in the old one.
import { usageFrom } from "../../run/Usage.ts"
import {
  type Fields,
  isFields,
  numberOrNull,
  objectsOf,
  parseJson,
  textOf,
  textOrNull,
  wholeOrNull
} from "../../text/Json.ts"
import type { AgentEvent, AgentItem, FileChange, RateWindow } from "./AgentEvent.ts"

// The events of the present `codex exec --json`, distinguished by `type`.

/** The contents of each type of item. Codex's first releases named the type `item_type`. */
const items: Readonly<Record<string, (item: Fields) => AgentItem | null>> = {
  // A message without text is no message: it must not become an empty answer.
  agent_message: ({ text }) => typeof text === "string" ? { _tag: "Message", text } : null,
  assistant_message: ({ text }) => typeof text === "string" ? { _tag: "Message", text } : null,
  reasoning: ({ text }) => ({ _tag: "Reasoning", text: textOf(text) }),
  command_execution: ({ aggregated_output, command, exit_code, status }) => ({
    _tag: "Command",
    command: commandText(command),
    output: textOf(aggregated_output),
    exitCode: wholeOrNull(exit_code),
    status: textOf(status)
  }),
  file_change: ({ changes, status }) => ({ _tag: "FileChanges", changes: changesOf(changes), status: textOf(status) }),
  todo_list: ({ items: list }) => ({
    _tag: "TodoList",
    items: objectsOf(list).map(({ completed, text }) => ({ text: textOf(text), completed: completed === true }))
  }),
  mcp_tool_call: ({ server, status, tool }) => ({
    _tag: "ToolCall",
    server: textOf(server),
    tool: textOf(tool),
    status: textOf(status)
  }),
  collab_tool_call: ({ status, tool }) => ({
    _tag: "ToolCall",
    server: "",
    tool: textOf(tool),
    status: textOf(status)
  }),
  web_search: ({ query }) => ({ _tag: "WebSearch", query: textOf(query) }),
  plan: ({ text }) => ({ _tag: "Plan", text: textOf(text) }),
  error: ({ message }) => ({ _tag: "Warning", message: textOf(message) })
}

/** A command, given as a list of words or as a text, on one line for people. */
const commandText = (command: unknown): string =>
  typeof command === "string" ? command : objectsOrTexts(command).join(" ")

const objectsOrTexts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((word): word is string => typeof word === "string") : []

const kinds: ReadonlyArray<FileChange["kind"]> = ["add", "delete", "update"]

/** The kind of a change by codex's name for it. */
export const kindOf = (value: unknown): FileChange["kind"] => kinds.find((kind) => kind === value) ?? "unknown"

const changesOf = (value: unknown): ReadonlyArray<FileChange> =>
  objectsOf(value).map(({ kind, path }) => ({ path: textOf(path), kind: kindOf(kind) }))

const itemOf = (value: unknown): { readonly id: string; readonly item: AgentItem } | null => {
  if (!isFields(value)) return null
  const type = textOrNull(value["type"]) ?? textOrNull(value["item_type"])
  if (type === null) return null
  const read = Object.hasOwn(items, type) ? items[type] : undefined
  const item = read === undefined ? { _tag: "UnknownItem", type } as const : read(value)
  return item === null ? null : { id: textOf(value["id"]), item }
}

const itemEvent = (_tag: "ItemStarted" | "ItemUpdated" | "ItemCompleted") => (event: Fields): AgentEvent | null => {
  const item = itemOf(event["item"])
  return item === null ? null : { _tag, ...item }
}

const events: Readonly<Record<string, (event: Fields) => AgentEvent | null>> = {
  "thread.started": ({ thread_id }) =>
    typeof thread_id === "string" ? { _tag: "ThreadStarted", threadId: thread_id } : null,
  "session.created": ({ session_id }) => ({ _tag: "SessionCreated", sessionId: textOrNull(session_id) }),
  "turn.started": () => ({ _tag: "TurnStarted" }),
  "turn.completed": ({ usage }) => ({ _tag: "TurnCompleted", usage: usageFrom(usage) }),
  // A failed turn has failed, whatever its error says.
  "turn.failed": ({ error }) => ({
    _tag: "TurnFailed",
    message: isFields(error) ? textOf(error["message"]) : textOf(error)
  }),
  error: ({ message }) => ({
    _tag: "Error",
    message: textOf(message),
    reconnecting: /^Reconnecting(?:\.\.\.|\u2026)/.test(textOf(message))
  }),
  "item.started": itemEvent("ItemStarted"),
  "item.updated": itemEvent("ItemUpdated"),
  "item.completed": itemEvent("ItemCompleted"),
  "item.delta": () => ({ _tag: "ItemDelta" })
}

/** The event of an object with this `type`; null for an unknown type. */
export const presentEvent = (type: string, event: Fields): AgentEvent | null =>
  Object.hasOwn(events, type) ? events[type]?.(event) ?? null : null

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
const oldChangesOf = (value: unknown): ReadonlyArray<FileChange> =>
  isFields(value)
    ? Object.entries(value).map(([path, change]) => {
      const named = isFields(change) ? Object.keys(change).find((name) => kindOf(name) !== "unknown") : undefined
      return { path, kind: kindOf(named ?? (isFields(change) ? change["type"] : change)) }
    })
    : []

const firstText = (...values: ReadonlyArray<unknown>): string =>
  values.find((value): value is string => typeof value === "string") ?? ""

const oldEvents: Readonly<Record<string, (msg: Fields) => AgentEvent | null>> = {
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
  patch_apply_begin: ({ changes }) => ({ _tag: "PatchApplyBegin", changes: oldChangesOf(changes) }),
  patch_apply_end: ({ success }) => ({ _tag: "PatchApplyEnd", success: success === true }),
  task_complete: ({ last_agent_message }) => ({ _tag: "TaskComplete", lastMessage: textOrNull(last_agent_message) })
}

/** The event of a `msg`; null for an unknown one. */
export const oldEvent = (msg: Fields): AgentEvent | null => {
  const type = textOrNull(msg["type"])
  return type !== null && Object.hasOwn(oldEvents, type) ? oldEvents[type]?.(msg) ?? null : null
}

// One line of an agent's output as one event. It is total: nothing throws, and nothing is left out.

const banner = ({ model, provider, sandbox }: Fields): AgentEvent | null =>
  model === undefined && provider === undefined && sandbox === undefined
    ? null
    : { _tag: "Started", model: textOrNull(model), provider: textOrNull(provider), sandbox: textOrNull(sandbox) }

/**
 * Decodes a line, without its line end. Null for a blank line. An object with a text as `type` is read in the present
 * grammar, one with an object as `msg` in the old one, and one that names a model, a provider or a sandbox is the
 * banner. Everything else is `Unknown` or, if it is not JSON, `Unparsed`; both keep the line.
 */
export const decodeAgentLine = (line: string): AgentEvent | null => {
  if (line.trim() === "") return null
  const value = parseJson(line)
  if (value === undefined) return { _tag: "Unparsed", line }
  if (!isFields(value)) return { _tag: "Unknown", type: null, line }
  const type = textOrNull(value["type"])
  if (type !== null) return presentEvent(type, value) ?? { _tag: "Unknown", type, line }
  const msg = value["msg"]
  if (isFields(msg)) return oldEvent(msg) ?? { _tag: "Unknown", type: textOrNull(msg["type"]), line }
  return banner(value) ?? { _tag: "Unknown", type: null, line }
}
