// Event: one event of Claude Code as it came on standard input, and which action it calls for.
//
// The folder. A call reads one event as JSON from standard input, and prints one JSON object or nothing:
// - `Table` says which events call this program. Every edit, plan and Stop of every session does, so `Flags` and
//   `Event` read the call and choose its action without loading Effect: an event that needs no review must start as
//   fast as a bare node. `hookProgram` loads everything else after that choice.
// - `Handlers` dispatches on the action and keeps the deadline. `Reviews` reviews edits and plans, `StopGate` checks a
//   Stop, `FixedPoint` is its gate `ladder`. `Call` asks codex in the time that is left and shapes the answer.
// - `Prompts` and `Hints` are the question. `Verdict` reads the answer: JSON of a schema, or PASS or FAIL on the first
//   lines where the service knows no schemas. In doubt it is UNCERTAIN, which blocks a Stop and changes no state.
// - `Session` is the state of one session of Claude Code, `Sessions` and `SessionFiles` its ports.
// - `Settings` and `Install` put the hooks into a settings file and keep every other character of it.
//
// Never in the way: a missing codex, a deadline, malformed input or unreadable state end in exit 0 without output. Once
// a session the user is informed that no reviews happen. Only a gate blocks, with exit 2 and its reason on standard
// error, and it never blocks because something could not be checked.
//
// Why the state converges: every edit gets a number when its review begins, and reviews may end in any order. A PASS
// clears the FAILs of its path with lower numbers, and a FAIL is dropped if its path has a PASS with a higher one. So
// the open FAILs depend on the verdicts, not on the order in which reviews end. The same edit (digest of tool,
// input and file) within five minutes is not reviewed again: its verdict counts once more, a PASS only for what was open
// before its review. The file of a session is replaced under a lock; a file that cannot be read counts as empty.
//
// Untrusted text (tools, files, messages, earlier reviews) is in a prompt inside one element with a random tag, with
// secrets removed; codex runs read-only, in a group of processes that ends with this process.
import { isFields, objectsOf, parseJson, textOf } from "../text/Json.ts"
import type { Gate } from "./Table.ts"

type ToolClass = "code_change" | "plan_review" | "thinking" | "bash_failure"

const edits: ReadonlyArray<string> = ["Write", "Edit", "MultiEdit", "Patch", "NotebookEdit"]

// Whole words of the name, so that `credit_file` and `morphology` are no edits.
const edit = /(?:^|[^A-Za-z0-9])(?:edit_file|morph)(?:$|[^A-Za-z0-9])/
// Some tools of these families continue the word: `shannonthinking`, `actor-critic-thinking`.
const thinking = /(?:^|[^A-Za-z0-9])(?:sequential_?thinking|actor-critic|shannon)/

/** The name of a tool without its MCP server, split as Claude Code does; empty if the name is cut short. */
const ownName = (toolName: string): string => {
  if (!toolName.startsWith("mcp__")) return toolName
  const end = toolName.indexOf("__", 5)
  return end <= 5 ? "" : toolName.slice(end + 2)
}

const afterUse = (toolName: string): ToolClass | null => {
  if (toolName === "ExitPlanMode") return "plan_review"
  if (edits.includes(toolName)) return "code_change"
  const name = ownName(toolName)
  return thinking.test(name) ? "thinking" : edit.test(name) ? "code_change" : null
}

/** The kind of review for a tool call; null for no review. */
export const classifyTool = (event: string, toolName: string): ToolClass | null => {
  switch (event) {
    case "PostToolUse":
      return afterUse(toolName)
    case "PreToolUse":
      // This hook is installed only to have a plan reviewed before a person approves it.
      return toolName === "ExitPlanMode" ? "plan_review" : null
    case "PostToolUseFailure":
      return toolName === "Bash" ? "bash_failure" : null
    default:
      return null
  }
}

/** How far a chain of thoughts has come: its first third, its second, its last. */
export type ThinkingStage = "early" | "mid" | "late"

/** The stage of thought `number` of `total`. A chain of unknown length is in its middle. */
export const thinkingStage = (number: number, total: number): ThinkingStage => {
  if (Number.isNaN(number) || !(total > 0)) return "mid"
  return 3 * number <= total ? "early" : 3 * number <= 2 * total ? "mid" : "late"
}

/** An event. A missing field is empty. */
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
  /** The tasks of the session that still run in the background, by their ids. */
  readonly tasks: ReadonlyArray<string>
  readonly instructions: string
}

/** Reads an event; null for any other text. */
export const readInput = (text: string): HookInput | null => {
  const fields = parseJson(text)
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
    tasks: objectsOf(fields["background_tasks"]).map(({ id }) => textOf(id)),
    instructions: textOf(fields["custom_instructions"])
  }
}

/** The action for an event. */
export type HookAction = ToolClass | "stop" | "compact" | "end"

// Our own commands answer by exit codes, which need no diagnosis.
const ownCommand = /(?:^|[\s;&|/"'])ooda-codex-review(?:\.cjs)?(?:["'\s]|$)/

const isOwnCommand = (toolInput: unknown): boolean =>
  isFields(toolInput) && ownCommand.test(textOf(toolInput["command"]))

// Claude Code has plans written to files of their own. Such a file is reviewed as a plan, not as code.
const planFile = /\/\.claude\/plans\/[^/]+\.md$/

/** The name of a plan without a file. */
export const unnamedPlan = "the plan"

/** Whether what was reviewed is a plan, by its path or its name. */
export const isPlan = (path: string): boolean => path === unnamedPlan || planFile.test(path)

const isPlanFile = (toolInput: unknown): boolean => isFields(toolInput) && planFile.test(textOf(toolInput["file_path"]))

/** The action for an event, as far as the event itself shows; null for none. */
export const actionFor = (input: HookInput, gate: Gate): HookAction | null => {
  switch (input.event) {
    case "Stop":
      return gate === "off" || (input.stopActive && gate !== "ladder") ? null : "stop"
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
