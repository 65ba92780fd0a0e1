// EditKey: the name by which one edit is known again, so that the same edit is not reviewed twice.
import { canonicalJson, isFields, listOf, objectsOf, textOf } from "../text/Json.ts"
import { sha256 } from "../text/Sha256.ts"
import { hasHidden } from "../text/Untrusted.ts"
import type { Gate } from "./Table.ts"

/** The digest of a tool's name and its whole input. The order of keys makes no difference, anything else does. */
export const editKey = (toolName: string, toolInput: unknown): string => sha256(canonicalJson([toolName, toolInput]))

// EditedPath: the file that an edit is about, by the names that tools give it.
// Nothing of Effect is loaded with it.

const names = [
  "file_path",
  "notebook_path",
  "path",
  "filePath",
  "target_filepath",
  "target_file",
  "relative_path",
  "filename"
] as const

const longest = 4096

/**
 * The file's path, whole where the event tells it; what stands there may be a secret. A file whose name no event tells
 * is another one for every change, so that a pass of one clears no FAIL of another.
 */
export const editedPath = ({ cwd, tool, toolInput }: HookInput): string => {
  const given = isFields(toolInput) ? toolInput : {}
  const [path] = [given, ...objectsOf(given["edits"])]
    .flatMap((part) => names.map((name) => textOf(part[name]))).filter((text) => text !== "")
  if (path === undefined || path.length > longest) return `an unnamed file (${editKey(tool, toolInput).slice(0, 8)})`
  return path.startsWith("/") || cwd === "" ? path : `${cwd}/${path}`
}

/** A path as it is shown to whoever works in `cwd`. */
export const shownPath = (cwd: string, path: string): string =>
  cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path

// PlanPath: the file of a plan that the response of ExitPlanMode names.
// Only the letters of the path are checked here. The code that opens the file checks where it really leads.

const longestPlanPath = 4096
const most = { depth: 6, places: 100 } as const
const saved = /^[ \t]*["'`]?(\/[^\n\r"'`]*?\.md)(?=["'`)\].,;:!?]*(?:\s|$))/

/** The paths that a text names as where something was saved to. */
const savedIn = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const mention = /saved to:/gi
  for (let count = 0; count < most.places && mention.exec(text) !== null; count++) {
    const path = saved.exec(text.slice(mention.lastIndex, mention.lastIndex + longestPlanPath))?.[1]
    if (path !== undefined) found.push(path)
  }
  return found
}

const textsOf = (value: unknown, depth = 0): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (depth >= most.depth) return []
  const inner = isFields(value) ? Object.values(value) : listOf(value)
  return inner.slice(0, most.places).flatMap((one) => textsOf(one, depth + 1))
}

/** The path as it stands below the folder of plans; null for any other. */
const below = (path: string, home: string): string | null => {
  if (!path.startsWith("/") || path.length > longestPlanPath || hasHidden(path)) return null
  const parts = path.split("/").filter((part) => part !== "" && part !== ".")
  const plans = [...home.split("/").filter((part) => part !== "" && part !== "."), ".claude", "plans"]
  const name = parts[plans.length] ?? ""
  const inside = parts.length === plans.length + 1 && plans.every((part, i) => part === parts[i])
  return inside && /^[^.].*\.md$/.test(name) ? `/${parts.join("/")}` : null
}

/**
 * The plan's file: `filePath` of the response, else a path after "saved to:" in it. It is an absolute path of a
 * Markdown file directly in `<home>/.claude/plans`; null where the response names no such file.
 */
export const planPath = (toolResponse: unknown, home: string): string | null => {
  if (!home.startsWith("/")) return null
  const named = isFields(toolResponse) ? toolResponse["filePath"] : undefined
  const paths = [...(typeof named === "string" ? [named] : []), ...textsOf(toolResponse).flatMap(savedIn)]
  for (const path of paths) {
    const plan = below(path, home)
    if (plan !== null) return plan
  }
  return null
}

// Tools: what kind of review the use of a tool asks for, by the names of the event and of the tool.
// Every event of every session passes through here, so nothing of Effect is loaded with it.

/** What a tool's use is reviewed as. */
export type ToolClass = "code_change" | "plan_review" | "thinking" | "bash_failure"

const edits: ReadonlyArray<string> = ["Write", "Edit", "MultiEdit", "Patch", "NotebookEdit"]

// Whole words of the name, so that `credit_file` and `morphology` are no edits.
const edit = /(?:^|[^A-Za-z0-9])(?:edit_file|morph)(?:$|[^A-Za-z0-9])/
// Some tools of these families continue the word: `shannonthinking`, `actor-critic-thinking`.
const thinking = /(?:^|[^A-Za-z0-9])(?:sequential_?thinking|actor-critic|shannon)/

/** The name of a tool without its MCP server, as the client takes it apart; empty where the name is cut short. */
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

/** What the use of a tool is reviewed as; null for what nobody reviews. */
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

/** The stage of thought `number` of `total`. A chain whose length nobody knows is in its midst. */
export const thinkingStage = (number: number, total: number): ThinkingStage => {
  if (Number.isNaN(number) || !(total > 0)) return "mid"
  return 3 * number <= total ? "early" : 3 * number <= 2 * total ? "mid" : "late"
}

// HookInput: one event of Claude Code as it came on standard input, read leniently, and whether anybody looks at it.
// Every event of every session passes through here, so nothing of Effect is loaded with it.

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
