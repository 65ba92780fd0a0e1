// Order: one agent of a run: order, result, taken.
import { Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { AgentEnding } from "./AgentEnding.ts"
import type { AgentState } from "./State.ts"
import type { AgentTask } from "./Task.ts"
import type { TaskEventOf } from "./Event.ts"
import type { AgentRef, RunRef } from "../log/Refs.ts"
import type { Usage } from "../run/Usage.ts"
import type { AgentUpdate } from "./Agent.ts"
import type { Consents } from "./Consent.ts"
import type { DriverStream } from "./TaskLog.ts"

// What is wanted of one agent of a run, and how it came out.

/** The number of an agent in its run, its task, and what is allowed on the way. */
export interface AgentOrder {
  readonly agent: number
  readonly task: AgentTask
  readonly allow?: Consents
  /** The thread of an earlier agent in which this one begins; without it in a new one. */
  readonly thread?: string
  /** The longest wait for a quota in milliseconds; without it none. */
  readonly waitQuota?: number
  /** A shorter prompt for the same task, for a context window in tokens where it is known. */
  readonly compact?: (contextWindow: number | null) => string
  /** Whether a plan instead of work is asked again: the identity of the worktree before and after tells. */
  readonly mustWork?: boolean
  /** Whether the log keeps what the worktree held when the agent began, for whoever asks later what it saw. */
  readonly looks?: boolean
  /** The tokens that the run may use: prompts then tell how many it has used. */
  readonly budget?: number
  /** Gets what the agent says, as it says it. The words of an adopted agent come from their beginning. */
  readonly observe?: (heard: Extract<AgentUpdate, { readonly _tag: "Heard" }>) => Effect.Effect<void>
}

/** How an agent came out. `remedy`, where it failed, is what a person can do. */
export type AgentResult =
  | {
    readonly _tag: "Ended"
    readonly ending: AgentEnding
    readonly remedy: string | null
    readonly threadId: string | null
    readonly usage: Usage | null
  }
  | { readonly _tag: "Stopped"; readonly cause: TaskEventOf<"AgentStopped">["cause"] }

/** The number of an agent is another task's. */
export class AgentTaken extends Schema.TaggedError<AgentTaken>()("AgentTaken", {
  agent: Schema.Int,
  taskId: Schema.String
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `agent ${this.agent} of the run already works on task ${this.taskId} [take the next number]`
  }
}

/** An agent of a stream by its number, or null. */
export const agentOf = ({ state }: DriverStream, agent: number): AgentState | null =>
  state.agents.agents.find((one) => one.agent === agent) ?? null

/** The reference of an agent's last attempt. */
export const lastAttempt = (run: RunRef, { started: { agent, attempt, id, kind } }: AgentState): AgentRef => ({
  run,
  agent,
  attempt,
  id,
  kind
})
