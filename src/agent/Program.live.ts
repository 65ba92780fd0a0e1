// Program.live: the program of one agent kind.
import { realpathSync } from "node:fs"
import { sep } from "node:path"
import type { AgentKind, AgentRef } from "../log/Refs.ts"
import type { Variables } from "../platform/Environment.ts"
import { makeDirectories } from "../platform/Files.ts"
import type { Job, Order } from "../platform/guard/Job.ts"
import { findBinary, missingText } from "../platform/Binary.ts"
import { agentFiles, agentScratch, agentWakeFile } from "../run/Layout.live.ts"
import { replaceFile } from "../run/SmallFile.live.ts"
import { jsonText } from "../text/Json.ts"
import { redactFences } from "../text/redaction/Redaction.ts"
import type { AgentTurn } from "./Agent.ts"
import type { AgentTask } from "./Task.ts"

/** Keeps Claude Code from adding files that a prompt names as `@path` and lists of tools: prompts quote strangers. */
export const withoutAttachments = { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1", ENABLE_TOOL_SEARCH: "false" } as const

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
