// CodexAgent: `codex exec` as an agent, in codex's own sandbox.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Layer } from "effect"
import { jsonText } from "../../core/text/JsonText.ts"
import { withoutInstructions, withoutSkills } from "../../core/run/Target.ts"
import { Agent } from "../../services/Agent.ts"
import type { Variables } from "../../services/Environment.ts"
import { untrusted } from "../codex/ReviewerJobs.ts"
import { codexHomeIn } from "../codex/CodexHome.ts"
import { makeAgent } from "./LiveAgent.ts"
import { commandOf, type Program, type Start } from "./Program.ts"
import { agentVariables } from "./Secrets.ts"

const setting = (name: string, value: unknown): ReadonlyArray<string> => ["-c", `${name}=${jsonText(value)}`]

// Codex's own workspace opens /tmp and TMPDIR, where our records may lie. A private directory takes their place.
const workspace = (scratch: string): ReadonlyArray<string> => [
  ...setting("sandbox_workspace_write.exclude_slash_tmp", true),
  ...setting("sandbox_workspace_write.exclude_tmpdir_env_var", true),
  ...setting("sandbox_workspace_write.writable_roots", [scratch])
]

/** The arguments of codex. The prompt comes on standard input, because prompts outgrow a command line. */
export const codexArguments = ({ prepared, task, turn }: Start): ReadonlyArray<string> => {
  const { effort, model, sandbox } = task
  const options = [
    "--json",
    ...setting("approval_policy", "never"),
    ...(sandbox === "workspace-write" ? workspace(prepared.scratch) : []),
    // Who only reads judges, and must not be instructed by what is judged.
    ...(sandbox === "read-only" || task.untrusted === true ? withoutSkills : []),
    ...(task.untrusted === true ? [...withoutInstructions, ...untrusted(task.cwd)] : []),
    // The commands that an agent runs get no secret, not even codex's own.
    ...setting("shell_environment_policy.ignore_default_excludes", false),
    ...(effort === null ? [] : setting("model_reasoning_effort", effort)),
    ...(model === null ? [] : [`--model=${model}`]),
    ...(prepared.schema === null ? [] : [`--output-schema=${prepared.schema}`])
  ]
  return turn.thread === null
    ? ["exec", "-s", sandbox, ...options, "-"]
    : ["exec", "resume", ...setting("sandbox_mode", sandbox), ...options, "--", turn.thread, "-"]
}

/** The variables that codex's configuration names as the keys of its providers. */
export const providerKeys = (config: string): ReadonlyArray<string> =>
  [...config.matchAll(/\benv_key\s*=\s*["']([^"'\n]+)["']/g)].flatMap(([, name]) => name ?? [])

/** Whether a variable is one of codex's own keys. */
export const codexKeys = (environment: Variables): (name: string) => boolean => {
  const path = join(codexHomeIn(environment), "config.toml")
  const keys = ["CODEX_API_KEY", "OPENAI_API_KEY", ...providerKeys(existsSync(path) ? readFileSync(path, "utf8") : "")]
  return (name) => keys.includes(name)
}

/** Codex by the name or the path of its binary. */
export const codexProgram = (binary: string): Program => ({
  kind: "codex",
  confined: true,
  command: (start) => commandOf(binary, start, codexArguments(start)),
  variables: (start) => ({
    ...agentVariables(start.environment, codexKeys(start.environment)),
    ...(start.task.sandbox === "workspace-write" ? { TMPDIR: start.prepared.scratch } : {})
  })
})

/** Agents that are codex. */
export const layer = (binary = "codex"): Layer.Layer<Agent> => Layer.sync(Agent, () => makeAgent(codexProgram(binary)))
