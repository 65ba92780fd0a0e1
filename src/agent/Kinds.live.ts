// Kinds.live: codex, claude and any command as agents.
import { Layer } from "effect"
import { setting, untrusted, withoutEndlessRetries, withoutInstructions, withoutSkills } from "../run/Target.ts"
import { jsonText } from "../text/Json.ts"
import { makeAgent } from "./Agent.live.ts"
import { Agent } from "./Agent.ts"
import { agentVariables, withoutSecrets } from "./ClientVariables.live.ts"
import { commandOf, type Program, type Start, withoutAttachments } from "./Program.live.ts"

// `codex exec` as an agent, in codex's own sandbox.

// Codex's own workspace opens /tmp and TMPDIR, where our records may lie. A private directory replaces them.
const workspace = (scratch: string): ReadonlyArray<string> => [
  ...setting("sandbox_workspace_write.exclude_slash_tmp", true),
  ...setting("sandbox_workspace_write.exclude_tmpdir_env_var", true),
  ...setting("sandbox_workspace_write.writable_roots", [scratch])
]

/** The arguments of codex. The prompt comes on standard input, because prompts outgrow a command line. */
export const codexArguments = ({ environment, prepared, task, turn }: Start): ReadonlyArray<string> => {
  const { effort, model, sandbox } = task
  const options = [
    "--json",
    ...setting("approval_policy", "never"),
    ...withoutEndlessRetries,
    ...(sandbox === "workspace-write" ? workspace(prepared.scratch) : []),
    // A read-only agent judges the code, so the code must not instruct it.
    ...(sandbox === "read-only" || task.untrusted === true ? withoutSkills : []),
    ...(task.untrusted === true ? [...withoutInstructions, ...untrusted(task.cwd)] : []),
    // The commands that an agent runs get no secret, not even codex's own.
    ...withoutSecrets(environment),
    ...(effort === null ? [] : setting("model_reasoning_effort", effort)),
    ...(model === null ? [] : [`--model=${model}`]),
    ...(prepared.schema === null ? [] : [`--output-schema=${prepared.schema}`])
  ]
  return turn.thread === null
    ? ["exec", "-s", sandbox, ...options, "-"]
    : ["exec", "resume", ...setting("sandbox_mode", sandbox), ...options, "--", turn.thread, "-"]
}

/** Codex by the name or the path of its binary. */
export const codexProgram = (binary: string): Program => ({
  kind: "codex",
  confined: true,
  command: (start) => commandOf(binary, start, codexArguments(start)),
  variables: (start) => ({
    ...agentVariables("codex", start.environment),
    ...(start.task.sandbox === "workspace-write" ? { TMPDIR: start.prepared.scratch } : {})
  })
})

/** Agents that are codex. */
export const codexLayer = (binary = "codex"): Layer.Layer<Agent> =>
  Layer.sync(Agent, () => makeAgent(codexProgram(binary)))

// Claude Code as an agent. It keeps to its own permissions; this program does not confine it.

// Claude Code refuses a tool without permission, because it has no one to ask. A default mode in somebody's settings
// could still let a reader write.
const permissions = {
  "read-only": ["--disallowedTools=Edit,NotebookEdit,Write", "--permission-mode=default"],
  "workspace-write": ["--allowedTools=Bash,Edit,NotebookEdit,Write"]
} as const

// Untrusted: Claude Code would take hooks, variables, key helpers and servers from the repository, whose settings could
// send the prompt and the key elsewhere. The tools stay. The user's own settings stay too, because a login may need
// them, without their hooks, instructions and servers.
const closed = [
  "--setting-sources=user",
  "--safe-mode",
  "--strict-mcp-config",
  "--disable-slash-commands",
  "--no-chrome"
] as const

/** The arguments of Claude Code. The prompt comes on standard input. */
export const claudeArguments = ({ task, turn }: Pick<Start, "task" | "turn">): ReadonlyArray<string> => [
  "-p",
  "--output-format=stream-json",
  "--verbose",
  ...permissions[task.sandbox],
  ...(task.untrusted === true ? closed : []),
  ...(task.effort === null ? [] : [`--effort=${task.effort}`]),
  ...(task.model === null ? [] : [`--model=${task.model}`]),
  ...(task.answer === null ? [] : [`--json-schema=${jsonText(task.answer)}`]),
  ...(turn.thread === null ? [] : [`--resume=${turn.thread}`])
]

/** Claude Code by the name or the path of its binary. */
export const claudeProgram = (binary: string): Program => ({
  kind: "claude",
  confined: false,
  // Claude Code would read a prompt that begins with a slash as a command.
  literal: (prompt) => /^\s*\//.test(prompt) ? `Your task:\n\n${prompt}` : prompt,
  command: (start) => commandOf(binary, start, claudeArguments(start)),
  variables: (start) => ({ ...agentVariables("claude", start.environment), ...withoutAttachments })
})

/** Agents that are Claude Code. */
export const claudeLayer = (binary = "claude"): Layer.Layer<Agent> =>
  Layer.sync(Agent, () => makeAgent(claudeProgram(binary)))

// Any program as an agent, named by a shell line.
// It reads the prompt on standard input and prints its answer; its task is in its environment.

/** A program by the shell line that runs it. */
export const commandProgram = (line: string): Program => ({
  kind: "command",
  confined: false,
  command: () => ["/bin/sh", "-c", line],
  variables: ({ environment, prepared, task }) => ({
    ...agentVariables("command", environment),
    // The line may start Claude Code.
    ...withoutAttachments,
    OODA_ROLE: task.role,
    OODA_TASK_ID: task.taskId,
    OODA_PROMPT_FILE: prepared.prompt,
    OODA_FINDINGS: task.findings ?? undefined
  })
})

/** Agents that are this program. */
export const commandLayer = (line: string): Layer.Layer<Agent> =>
  Layer.sync(Agent, () => makeAgent(commandProgram(line)))
