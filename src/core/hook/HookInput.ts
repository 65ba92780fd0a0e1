// HookInput: one event of Claude Code as it came on standard input, read leniently, and whether anybody looks at it.
// Every event of every session passes through here, so nothing of Effect is loaded with it.
import { isFields, listOf, textOf } from "../text/Fields.ts"
import type { Gate } from "./HookTable.ts"
import { classifyTool, type ToolClass } from "./Tools.ts"

/** An event. What the client did not send is empty. */
export interface HookInput {
  readonly event: string
  readonly session: string
  /** The prompt of the user that the turn answers; it names the turn. */
  readonly turn: string
  readonly cwd: string
  readonly transcript: string
  readonly tool: string
  readonly toolInput: unknown
  readonly toolResponse: unknown
  readonly error: string
  readonly interrupted: boolean
  /** Whether the session goes on because a Stop was blocked before. */
  readonly stopActive: boolean
  readonly lastMessage: string
  /** Whether work of the session still runs in the background. */
  readonly working: boolean
  readonly instructions: string
}

/** Reads an event; null for what is none, whatever it is. */
export const readInput = (text: string): HookInput | null => {
  let fields: unknown
  try {
    fields = JSON.parse(text)
  } catch {
    return null
  }
  if (!isFields(fields) || textOf(fields["hook_event_name"]) === "") return null
  return {
    event: textOf(fields["hook_event_name"]),
    session: textOf(fields["session_id"]),
    turn: textOf(fields["prompt_id"]),
    cwd: textOf(fields["cwd"]),
    transcript: textOf(fields["transcript_path"]),
    tool: textOf(fields["tool_name"]),
    toolInput: fields["tool_input"],
    toolResponse: fields["tool_response"],
    error: textOf(fields["error"]),
    interrupted: fields["is_interrupt"] === true,
    stopActive: fields["stop_hook_active"] === true,
    lastMessage: textOf(fields["last_assistant_message"]),
    working: listOf(fields["background_tasks"]).length > 0,
    instructions: textOf(fields["custom_instructions"])
  }
}

/** What is done about an event. */
export type Wanted = ToolClass | "stop" | "compact" | "end"

// The answers of our own commands are exit codes, which need no diagnosis.
const ownCommand = /(?:^|[\s;&|/"'])ooda-codex-review(?:\.cjs)?(?:["'\s]|$)/

const isOwnCommand = (toolInput: unknown): boolean =>
  isFields(toolInput) && ownCommand.test(textOf(toolInput["command"]))

// The client has a plan written into a file of its own. It is reviewed as a plan, and not as code.
const planFile = /\/\.claude\/plans\/[^/]+\.md$/

const isPlanFile = (toolInput: unknown): boolean => isFields(toolInput) && planFile.test(textOf(toolInput["file_path"]))

/** What is done about an event, as far as the event itself tells; null for nothing. */
export const wantedBy = (input: HookInput, gate: Gate): Wanted | null => {
  switch (input.event) {
    case "Stop":
      return gate === "off" || input.working || (input.stopActive && gate !== "ladder") ? null : "stop"
    case "PreCompact":
      return "compact"
    case "SessionEnd":
      return "end"
    default: {
      const asked = classifyTool(input.event, input.tool)
      if (asked === "bash_failure" && (input.interrupted || isOwnCommand(input.toolInput))) return null
      return asked === "code_change" && isPlanFile(input.toolInput) ? null : asked
    }
  }
}
