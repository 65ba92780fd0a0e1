// Order: a task for one agent of a run, and its result.
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

/** The number of an agent in its run, its task, and what is allowed on the way. */
export interface AgentOrder {
  readonly agent: number
  readonly task: AgentTask
  readonly allow?: Consents
  /** The thread of an earlier agent that this one continues; without it, it begins a new thread. */
  readonly thread?: string
  /** The longest wait for a quota in milliseconds; without it the agent does not wait. */
  readonly waitQuota?: number
  /** A shorter prompt for the same task, for a context window in tokens where it is known. */
  readonly compact?: (contextWindow: number | null) => string
  /**
   * Whether an answer that is a plan is asked again: the worktree's identity before and after shows whether it changed.
   */
  readonly mustWork?: boolean
  /** Whether the log keeps the worktree's identity when the agent began, for later questions about what it saw. */
  readonly looks?: boolean
  /** The tokens that the run may use: prompts then say how many are used. */
  readonly budget?: number
  /** Is called with each event of the agent as it comes. The events of an adopted agent come from its beginning. */
  readonly observe?: (heard: Extract<AgentUpdate, { readonly _tag: "Heard" }>) => Effect.Effect<void>
}

/** The result of an agent. `remedy`, if it failed, is what a person can do. */
export type AgentResult =
  | {
    readonly _tag: "Ended"
    readonly ending: AgentEnding
    readonly remedy: string | null
    readonly threadId: string | null
    readonly usage: Usage | null
  }
  | { readonly _tag: "Stopped"; readonly cause: TaskEventOf<"AgentStopped">["cause"] }

/** The number of the agent is taken by another task. */
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
