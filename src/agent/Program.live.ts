// Program.live: the program and variables of one agent kind.
import { realpathSync } from "node:fs"
import { sep } from "node:path"
import type { AgentKind, AgentRef } from "../log/Refs.ts"
import { codexNoise, type Variables, withoutRepository } from "../platform/Environment.ts"
import { makeDirectories } from "../platform/Files.ts"
import type { Job, Order } from "../platform/guard/Job.ts"
import { findBinary, missingText } from "../platform/Binary.ts"
import { agentFiles, agentScratch, agentWakeFile } from "../run/Layout.live.ts"
import { replaceFile } from "../run/SmallFile.live.ts"
import { jsonText } from "../text/Json.ts"
import { redact, redactFences } from "../text/redaction/Redaction.ts"
import type { AgentTurn } from "./Agent.ts"
import type { AgentTask } from "./Task.ts"

// The variables that agents do not get, because they look like secrets or would disturb what agents print.

// Documented in docs/agents.md. A name is split into words at `_` and before capital letters; otherwise case does not
// matter.
const anywhere = /SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|PRIVATEKEY|MNEMONIC|SSHPASS/i
const words =
  /(?:^|_)(?:TOKENS?|KEYS?|AUTH|PAT|PASS|PW|PIN|CREDS?|SAS|SK|JWT|COOKIES?|DSN|WEBHOOKS?)(?:_|$)|_PWD$|CONNECTION_?STRING/i
const phrases = /SEED_PHRASE|WALLET_SEED|SERVICE_ACCOUNT(?:_JSON)?$|^BW_SESSION$|^BUNDLE_\w+__(?:COM|ORG|NET|IO|DEV)$/i
const places =
  /^(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MONGO(?:DB)?|REDIS|(?:CLOUD)?AMQP|RABBITMQ)_(?:\w+_)?UR[IL](?:_\w+)?$/i
// Without its proxy an agent reaches no model, so a proxy stays even if its address holds a password.
const proxies = /^(?:https?|ftp|all)_proxy$/i

/** Whether a variable looks like a secret, by its name or because its value holds one. */
export const looksSecret = (name: string, value = ""): boolean =>
  [anywhere, words, phrases, places].some((one) => one.test(name.replace(/([a-z\d])([A-Z])/g, "$1_$2"))) ||
  anywhere.test(name) || (!proxies.test(name) && redact(value) !== value)

/** The proxies of an agent whose addresses hold a password. */
export const secretProxies = (all: Variables): ReadonlyArray<string> =>
  Object.entries(all).flatMap(([name, value]) => proxies.test(name) && redact(value ?? "") !== value ? [name] : [])

// Claude Code gives its children these variables: that they are its children, and where they reach it.
const ofClaudeSession =
  /^(?:CLAUDECODE|CLAUDE_(?:PID|EFFORT|PROJECT_DIR|PLUGIN_\w+|CODE_(?:SESSION|CHILD|ENTRYPOINT|MESSAGING|SSE)\w*))$/

/** Keeps Claude Code from adding files that a prompt names as `@path` and lists of tools: prompts quote strangers. */
export const withoutAttachments = { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1", ENABLE_TOOL_SEARCH: "false" } as const

/** The variable that silences our own hook inside an agent. */
const inAgent = "OODA_IN_AGENT"

/**
 * The variables of an agent: those of its starter, without secrets that are not its `own`, and without variables that
 * lead git to another repository or make codex print more than events.
 */
export const agentVariables = (all: Variables, own: (name: string) => boolean): Variables => ({
  ...Object.fromEntries(
    Object.entries(withoutRepository(all)).filter(([name, value]) =>
      own(name) || !(looksSecret(name, value) || codexNoise.includes(name) || ofClaudeSession.test(name))
    )
  ),
  [inAgent]: "1"
})

// The properties of one kind of agent: what is run, and with which variables.

/** The files prepared for an attempt. `schema` is null if the answer may have any form. */
interface Prepared {
  readonly prompt: string
  readonly schema: string | null
  readonly scratch: string
}

/** One start of an agent. `environment` holds the starter's variables. */
export interface Start {
  readonly attempt: AgentRef
  readonly task: AgentTask
  readonly turn: AgentTurn
  readonly prepared: Prepared
  readonly environment: Variables
}

type Command = readonly [program: string, ...args: ReadonlyArray<string>]

/** A kind of agent. Throws the system's error. */
export interface Program {
  readonly kind: AgentKind
  readonly confined: boolean
  /** Makes the program take the prompt literally; without it the prompt is passed unchanged. */
  readonly literal?: (prompt: string) => string
  readonly command: (start: Start) => Command
  readonly variables: (start: Start) => Variables
}

// A missing program ends with 127, as in a shell, so that every follower sees the same end.
const missing = (why: string): Command => ["/bin/sh", "-c", "printf '%s\\n' \"$1\" >&2; exit 127", "sh", why]

/** The command of a binary with these arguments, or one that only prints why the binary is missing. */
export const commandOf = (
  binary: string,
  { environment, task }: Pick<Start, "environment" | "task">,
  args: ReadonlyArray<string>
): Command => {
  const answer = findBinary(binary, task.cwd, environment)
  if ("found" in answer) return [answer.found, ...args]
  return missing(`the program ${binary} of the agent is missing: ${missingText(binary, answer.reason)}`)
}

// Attempts of agents as the jobs and orders of the guard, and what is prepared for them on the disk.

/** The job of an attempt. */
export const jobOf = (attempt: AgentRef): Job => {
  const { exit, journal, lock, log, out } = agentFiles(attempt)
  return { id: attempt.id, files: { journal, lock, log, out, exit } }
}

/** The name of an action on an attempt, for faults. */
export const doing = (verb: string, { agent, attempt }: AgentRef): string =>
  `${verb} agent ${agent}, attempt ${attempt}`

/** Whether a directory is another one or lies below it, links resolved. Throws the system's error. */
export const isInside = (path: string, directory: string): boolean => {
  const [inner, outer] = [realpathSync(path), realpathSync(directory)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)
}

/** Writes the request of an attempt to files, and makes its directories. Throws the system's error. */
export const prepare = (attempt: AgentRef, { answer }: AgentTask, prompt: string): Prepared => {
  const files = agentFiles(attempt)
  const scratch = agentScratch(attempt)
  makeDirectories(scratch)
  // The prompt goes to the agent's provider. What strangers wrote is in fences.
  replaceFile(files.prompt, redactFences(prompt))
  if (answer !== null) replaceFile(files.schema, jsonText(answer))
  return { prompt: files.prompt, schema: answer === null ? null : files.schema, scratch }
}

/** The order to run an agent. Earlier attempts must have ended; their files stay their own. */
export const orderOf = (program: Program, start: Start): Order => {
  const { attempt, prepared, task } = start
  return {
    ...jobOf(attempt),
    label: doing("starting", attempt),
    command: program.command(start),
    cwd: task.cwd,
    line: null,
    environment: program.variables(start),
    input: prepared.prompt,
    wake: agentWakeFile(attempt),
    deadline: task.limits.timeout,
    maxBytes: task.limits.maxTranscript,
    tied: false,
    earlier: Array.from({ length: attempt.attempt - 1 }, (_, back) => ({
      ...jobOf({ ...attempt, attempt: attempt.attempt - 1 - back, id: "" }),
      moves: []
    }))
  }
}
