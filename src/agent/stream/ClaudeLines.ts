// ClaudeLines: output lines of claude's stream-json.
import type { Usage } from "../../run/Usage.ts"
import type { AgentEvent, AgentItem } from "./AgentEvent.ts"
import {
  type Fields,
  isFields,
  jsonText,
  listOf,
  objectsOf,
  parseJson,
  textOf,
  textOrNull,
  wholeOrNull
} from "../../text/Json.ts"

// One line of `claude -p --output-format stream-json` as events. It is total: nothing throws.
// A line may hold several things; a line with nothing known is kept as `Unknown`.

type Events = ReadonlyArray<AgentEvent>

const contentText = (content: unknown): string =>
  typeof content === "string" ? content : objectsOf(content).map(({ text }) => textOf(text)).join("\n")

const system = (fields: Fields): Events => {
  const { attempt, error, error_status, max_retries, message, session_id, subtype, task_id, tasks } = fields
  switch (subtype) {
    case "task_started":
      return [{ _tag: "TaskOpened", task: textOf(task_id) }]
    case "task_notification":
      return [{ _tag: "TaskClosed", task: textOf(task_id) }]
    case "background_tasks_changed":
      return [{ _tag: "OpenTasks", tasks: objectsOf(tasks).map((one) => textOf(one["task_id"])) }]
    case "init":
      return [{ _tag: "ThreadStarted", threadId: textOf(session_id) }, { _tag: "TurnStarted" }]
    case "api_retry": {
      const status = wholeOrNull(error_status)
      const why = `${textOf(error)}${status === null ? "" : `, status ${status}`}`
      return [{
        _tag: "Error",
        message: `Reconnecting... ${wholeOrNull(attempt)}/${wholeOrNull(max_retries)} (${why})`,
        reconnecting: true
      }]
    }
    case "permission_denied":
      return [{ _tag: "ItemCompleted", id: "", item: { _tag: "Warning", message: textOf(message) } }]
    default:
      return []
  }
}

const editors: ReadonlyArray<unknown> = ["Write", "Edit", "NotebookEdit"]

const started = ({ input, name }: Fields): AgentItem => {
  const fields = isFields(input) ? input : {}
  const status = "in_progress"
  if (name === "Bash") {
    return { _tag: "Command", command: textOf(fields["command"]), output: "", exitCode: null, status }
  }
  const path = textOrNull(fields["file_path"]) ?? textOrNull(fields["notebook_path"])
  return editors.includes(name) && path !== null
    ? { _tag: "FileChanges", changes: [{ path, kind: "unknown" }], status }
    : { _tag: "ToolCall", server: "", tool: textOf(name), status }
}

const assistant = (fields: Fields): Events => {
  const message = isFields(fields["message"]) ? fields["message"] : {}
  const blocks = objectsOf(message["content"])
  if (typeof fields["error"] === "string") {
    return [{ _tag: "Error", message: contentText(blocks), reconnecting: false, codes: [fields["error"]] }]
  }
  // The text of an agent's own helper is not its answer.
  const said = textOrNull(fields["parent_tool_use_id"]) === null ? "ItemCompleted" : "ItemUpdated"
  const id = textOf(fields["uuid"])
  return blocks.flatMap((block): Events => {
    switch (block["type"]) {
      case "text":
        return [{ _tag: said, id, item: { _tag: "Message", text: textOf(block["text"]) } }]
      case "thinking":
        return [{ _tag: "ItemCompleted", id, item: { _tag: "Reasoning", text: textOf(block["thinking"]) } }]
      case "tool_use":
        return [{ _tag: "ItemStarted", id: textOf(block["id"]), item: started(block) }]
      default:
        return []
    }
  })
}

// The result does not name its tool: the tool is recognized by the fields.
const completed = ({ content, is_error }: Fields, result: unknown): AgentItem => {
  const status = is_error === true ? "failed" : "completed"
  const text = contentText(content)
  const code = /^(?:Error: )?Exit code (\d+)\n?/.exec(text)
  if (code !== null) {
    return { _tag: "Command", command: "", output: text.slice(code[0].length), exitCode: Number(code[1]), status }
  }
  if (isFields(result) && typeof result["stdout"] === "string") {
    return { _tag: "Command", command: "", output: result["stdout"], exitCode: 0, status }
  }
  if (isFields(result) && typeof result["filePath"] === "string") {
    const kind = result["type"] === "create" ? "add" : "update"
    return { _tag: "FileChanges", changes: [{ path: result["filePath"], kind }], status }
  }
  return { _tag: "ToolCall", server: "", tool: "", status }
}

const user = (fields: Fields): Events => {
  const message = isFields(fields["message"]) ? fields["message"] : {}
  return objectsOf(message["content"]).flatMap((block): Events =>
    block["type"] === "tool_result"
      ? [{
        _tag: "ItemCompleted",
        id: textOf(block["tool_use_id"]),
        item: completed(block, fields["tool_use_result"])
      }]
      : []
  )
}

/** Claude counts tokens read from and written to its cache apart from the other input; codex counts all as input. */
const usageOf = (value: unknown): Usage | null => {
  if (!isFields(value)) return null
  const count = (fields: Fields, name: string) => Math.max(0, wholeOrNull(fields[name]) ?? 0)
  const cached = count(value, "cache_read_input_tokens")
  const details = value["output_tokens_details"]
  const usage = {
    input: count(value, "input_tokens") + count(value, "cache_creation_input_tokens") + cached,
    cached,
    output: count(value, "output_tokens"),
    reasoning: isFields(details) ? count(details, "thinking_tokens") : 0
  }
  return usage.input === 0 && usage.output === 0 ? null : usage
}

const windowOf = (models: unknown): number | null =>
  isFields(models)
    ? Object.values(models).filter(isFields).reduce<number | null>((least, { contextWindow }) => {
      const tokens = wholeOrNull(contextWindow)
      return tokens === null ? least : Math.min(least ?? tokens, tokens)
    }, null)
    : null

/** The limit of a plan that is used up: its name, and when it is reset. */
const limit = ({ rate_limit_info }: Fields): Events => {
  if (!isFields(rate_limit_info) || rate_limit_info["status"] !== "rejected") return []
  const resets = wholeOrNull(rate_limit_info["resetsAt"])
  const message = `the ${textOf(rate_limit_info["rateLimitType"]).replaceAll("_", "-")} limit is reached`
  const until = resets === null ? {} : { until: resets * 1000 }
  return [{ _tag: "Error", message, reconnecting: false, codes: ["usage_limit_reached"], ...until }]
}

// An answer by a schema is a tool call; any other tool call at the end was never run.
const finalStops: ReadonlyArray<unknown> = [undefined, null, "end_turn", "stop_sequence"]

/** Whether a turn was completed. Each field of the result can deny it, and none of them alone proves it. */
const isComplete = ({ is_error, stop_reason, structured_output, subtype, terminal_reason }: Fields): boolean =>
  is_error !== true && (subtype === undefined || subtype === "success") &&
  [undefined, null, "completed"].includes(textOrNull(terminal_reason)) &&
  (finalStops.includes(stop_reason) || (stop_reason === "tool_use" && isFields(structured_output)))

/** Why a turn was not completed, in the words of its result, and its codes. */
const incomplete = (fields: Fields): Events => {
  const status = wholeOrNull(fields["api_error_status"])
  const names = ["subtype", "terminal_reason", "stop_reason", "api_error"].flatMap((name) => textOf(fields[name]) || [])
  // A project names the tools of its own servers.
  const denied = objectsOf(fields["permission_denials"]).map(({ tool_name }) =>
    /^[A-Z][A-Za-z]{0,30}$/.test(textOf(tool_name)) ? textOf(tool_name) : "an MCP tool"
  )
  const ends = names.filter((name) => !/^(?:success|completed|end_turn|stop_sequence|api_error)$/.test(name))
  const unfinished = `the turn ended early (${ends.join(", ")})` +
    (denied.length === 0 ? "" : `; these tools were denied: ${denied.join(", ")}`)
  // With another subtype, the result would be the agent's own words, which may quote the project.
  const isFault = fields["is_error"] === true && (fields["subtype"] ?? "success") === "success"
  const words = (isFault ? textOf(fields["result"]) : "") ||
    listOf(fields["errors"]).map(textOf).join("\n") || unfinished
  const codes = status === null ? names : [...names, String(status)]
  return [{ _tag: "TurnFailed", message: status === null ? words : `${words} (status ${status})`, codes }]
}

const result = (fields: Fields): Events => {
  if (!isComplete(fields)) return incomplete(fields)
  const usage = usageOf(fields["usage"])
  const contextWindow = windowOf(fields["modelUsage"])
  const answer = fields["structured_output"] ?? (textOf(fields["result"]).trim() === "" ? null : fields["result"])
  const tokens: Events = contextWindow === null ? [] : [{ _tag: "TokenCount", usage, contextWindow, limits: [] }]
  const text = typeof answer === "string" ? answer : jsonText(answer)
  const formed: Events = answer === null
    ? []
    : [{ _tag: "ItemCompleted", id: textOf(fields["uuid"]), item: { _tag: "Message", text } }]
  return [...formed, ...tokens, { _tag: "TurnCompleted", usage }]
}

const readers: Readonly<Record<string, (fields: Fields) => Events>> = {
  system,
  assistant,
  user,
  result,
  rate_limit_event: limit
}

/** Decodes a line, without its line end: its events in order, at least one unless it is blank. */
export const decodeClaudeLine = (line: string): Events => {
  if (line.trim() === "") return []
  const value = parseJson(line)
  if (value === undefined) return [{ _tag: "Unparsed", line }]
  if (!isFields(value)) return [{ _tag: "Unknown", type: null, line }]
  const type = textOrNull(value["type"])
  const read = type !== null && Object.hasOwn(readers, type) ? readers[type] : undefined
  const events = read?.(value) ?? []
  return events.length === 0 ? [{ _tag: "Unknown", type, line }] : events
}
