// PresentGrammar: the events of `codex exec --json` as it writes them today, told apart by `type`.
import type { AgentEvent, AgentItem, FileChange } from "./AgentEvent.ts"
import { type Fields, isFields, objectsOf, textOf, textOrNull, wholeOrNull } from "../text/Fields.ts"
import { usageFrom } from "./UsageFields.ts"

/** What an item of each type tells. Codex's first releases named the type `item_type`. */
const items: Readonly<Record<string, (item: Fields) => AgentItem | null>> = {
  // A message without text is no message: it must not become an agent's empty answer.
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

/** A command as a list of words or as a text, on one line for people. */
export const commandText = (command: unknown): string =>
  typeof command === "string" ? command : objectsOrTexts(command).join(" ")

const objectsOrTexts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((word): word is string => typeof word === "string") : []

const kinds: ReadonlyArray<FileChange["kind"]> = ["add", "delete", "update"]

/** The kind of a change by the name that codex gives it. */
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
  // Whatever a failed turn says of its error, it has failed.
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

/** The event of an object with this `type`; null for one that is not described. */
export const presentEvent = (type: string, event: Fields): AgentEvent | null =>
  Object.hasOwn(events, type) ? events[type]?.(event) ?? null : null
