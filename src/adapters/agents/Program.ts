// Program: what tells one kind of agent from another: what is run, and with which variables.
import type { AgentTask } from "../../core/agent/Task.ts"
import type { AgentKind } from "../../core/run/AgentKind.ts"
import type { AgentRef } from "../../core/run/Refs.ts"
import type { AgentTurn } from "../../services/Agent.ts"
import { missingText } from "../../services/Reviewers.ts"
import type { Variables } from "../../services/Environment.ts"
import { findBinary } from "../codex/Binary.ts"

/** Where an attempt finds what was prepared for it. `schema` is null where no form of the answer is asked for. */
export interface Prepared {
  readonly prompt: string
  readonly schema: string | null
  readonly scratch: string
}

/** One start of an agent. `environment` is that of whoever starts it. */
export interface Start {
  readonly attempt: AgentRef
  readonly task: AgentTask
  readonly turn: AgentTurn
  readonly prepared: Prepared
  readonly environment: Variables
}

export type Command = readonly [program: string, ...args: ReadonlyArray<string>]

/** A kind of agent. It throws what the system throws. */
export interface Program {
  readonly kind: AgentKind
  readonly confined: boolean
  /** The prompt as the program takes it literally; without it as it is. */
  readonly literal?: (prompt: string) => string
  readonly command: (start: Start) => Command
  readonly variables: (start: Start) => Variables
}

// A missing program ends with 127, as in a shell, so that every follower sees the same end.
const missing = (why: string): Command => ["/bin/sh", "-c", "printf '%s\\n' \"$1\" >&2; exit 127", "sh", why]

/** The command of a binary with these arguments, or one that only says why the binary is missing. */
export const commandOf = (
  binary: string,
  { environment, task }: Pick<Start, "environment" | "task">,
  args: ReadonlyArray<string>
): Command => {
  const answer = findBinary(binary, task.cwd, environment)
  if ("found" in answer) return [answer.found, ...args]
  return missing(`the program ${binary} of the agent is missing: ${missingText(binary, answer.reason)}`)
}
