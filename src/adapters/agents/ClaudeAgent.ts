// ClaudeAgent: Claude Code as an agent. It keeps to its own permissions; this program does not confine it.
import { Layer } from "effect"
import { jsonText } from "../../core/text/JsonText.ts"
import { Agent } from "../../services/Agent.ts"
import { makeAgent } from "./LiveAgent.ts"
import { commandOf, type Program, type Start } from "./Program.ts"
import { agentVariables } from "./Secrets.ts"

// Claude Code refuses a tool that needs a permission and has none, because nobody is there to be asked.
const permissions = {
  "read-only": "--disallowedTools=Edit,NotebookEdit,Write",
  "workspace-write": "--allowedTools=Bash,Edit,NotebookEdit,Write"
} as const

/** The arguments of Claude Code. The prompt comes on standard input. */
export const claudeArguments = ({ task, turn }: Pick<Start, "task" | "turn">): ReadonlyArray<string> => [
  "-p",
  "--output-format=stream-json",
  "--verbose",
  permissions[task.sandbox],
  ...(task.effort === null ? [] : [`--effort=${task.effort}`]),
  ...(task.model === null ? [] : [`--model=${task.model}`]),
  ...(task.answer === null ? [] : [`--json-schema=${jsonText(task.answer)}`]),
  ...(turn.thread === null ? [] : [`--resume=${turn.thread}`])
]

const own = ({ environment }: Start) => (name: string): boolean =>
  name.startsWith("ANTHROPIC_") || name === "CLAUDE_CODE_OAUTH_TOKEN" ||
  (environment["CLAUDE_CODE_USE_BEDROCK"] !== undefined && name.startsWith("AWS_"))

/** Claude Code by the name or the path of its binary. */
export const claudeProgram = (binary: string): Program => ({
  kind: "claude",
  confined: false,
  command: (start) => commandOf(binary, start, claudeArguments(start)),
  variables: (start) => agentVariables(start.environment, own(start))
})

/** Agents that are Claude Code. */
export const layer = (binary = "claude"): Layer.Layer<Agent> =>
  Layer.sync(Agent, () => makeAgent(claudeProgram(binary)))
