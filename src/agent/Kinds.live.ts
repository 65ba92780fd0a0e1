// Kinds.live: codex, claude and any command as agents.
import { Layer } from "effect"
import { runDirectory } from "../log/LogFile.live.ts"
import { type Reader, readerArguments, readerVariables } from "../run/Reader.ts"
import { codexReader, setting, withoutEndlessRetries } from "../run/Target.ts"
import { jsonText } from "../text/Json.ts"
import { makeAgent } from "./Agent.live.ts"
import { Agent } from "./Agent.ts"
import { agentVariables, withoutSecrets } from "./ClientVariables.live.ts"
import { commandOf, type Program, type Start, withoutAttachments } from "./Program.live.ts"
import type { AgentTask } from "./Task.ts"

/** Whether nothing in the code may configure or instruct an agent: it judges the code, or the code is a stranger's. */
const isClosed = ({ sandbox, untrusted }: AgentTask): boolean => sandbox === "read-only" || untrusted === true

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
  const sandboxed = turn.thread === null ? ["-s", sandbox] : setting("sandbox_mode", sandbox)
  const { writes, ...closed } = codexReader(sandboxed, task.cwd)
  const options = [
    ...(writes.args ?? []),
    "--json",
    ...setting("approval_policy", "never"),
    ...withoutEndlessRetries,
    ...(sandbox === "workspace-write" ? workspace(prepared.scratch) : []),
    ...(isClosed(task) ? readerArguments(closed) : []),
    // The commands that an agent runs get no secret, not even codex's own.
    ...withoutSecrets(environment),
    ...(effort === null ? [] : setting("model_reasoning_effort", effort)),
    ...(model === null ? [] : [`--model=${model}`]),
    ...(prepared.schema === null ? [] : [`--output-schema=${prepared.schema}`])
  ]
  return turn.thread === null
    ? ["exec", ...options, "-"]
    : ["exec", "resume", ...options, "--", turn.thread, "-"]
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

// An agent of the work could write it, for the reviewers of the work and for later sessions of the user.
const withoutMemory = { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" } as const

// Allowed by name: a tool of a later version is missing until somebody has looked at it. No setting can widen the list.
// Bash is not among a reader's, because the rules of somebody's settings could let it write.
const readingTools = "Glob,Grep,Read"
const permissions = {
  "read-only": [`--tools=${readingTools}`, "--permission-mode=default"],
  "workspace-write": [
    `--tools=Bash,Edit,NotebookEdit,Write,${readingTools}`,
    "--allowedTools=Bash,Edit,NotebookEdit,Write"
  ]
} as const

// A repository's settings could send the prompt and the key elsewhere. The user's own settings stay, because a login may
// need them, without their hooks, instructions and servers.
const claudeReader = ({ attempt, prepared }: Pick<Start, "attempt" | "prepared">): Reader => ({
  writes: { args: [...permissions["read-only"], `--add-dir=${runDirectory(attempt.run)}`] },
  instructions: { args: ["--safe-mode", "--disable-slash-commands"] },
  settings: { args: ["--setting-sources=user"] },
  memory: { variables: withoutMemory },
  // Other sessions have their sockets in the temporary directory.
  outside: { args: ["--strict-mcp-config", "--no-chrome"], variables: { TMPDIR: prepared.scratch } }
})

/** The arguments of Claude Code. The prompt comes on standard input. */
export const claudeArguments = (start: Omit<Start, "environment">): ReadonlyArray<string> => {
  const { task, turn } = start
  const { writes, ...closed } = claudeReader(start)
  return [
    "-p",
    "--output-format=stream-json",
    "--verbose",
    ...(task.sandbox === "read-only" ? writes.args ?? [] : permissions[task.sandbox]),
    ...(isClosed(task) ? readerArguments(closed) : []),
    ...(task.effort === null ? [] : [`--effort=${task.effort}`]),
    ...(task.model === null ? [] : [`--model=${task.model}`]),
    ...(task.answer === null ? [] : [`--json-schema=${jsonText(task.answer)}`]),
    ...(turn.thread === null ? [] : [`--resume=${turn.thread}`])
  ]
}

/** Claude Code by the name or the path of its binary. */
export const claudeProgram = (binary: string): Program => ({
  kind: "claude",
  confined: false,
  // Claude Code would read a prompt that begins with a slash as a command.
  literal: (prompt) => /^\s*\//.test(prompt) ? `Your task:\n\n${prompt}` : prompt,
  command: (start) => commandOf(binary, start, claudeArguments(start)),
  variables: (start) => ({
    ...agentVariables("claude", start.environment),
    ...withoutAttachments,
    ...withoutMemory,
    ...(isClosed(start.task) ? readerVariables(claudeReader(start)) : {})
  })
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
