// Agent: the port to agents: one task in, a stream of events and one ending out.
//
// The folder, in reading order:
// - `Agent` is the port: start an attempt, follow it from its first byte, stop it. `Kinds.live` has codex, Claude Code
//   and any command of the shell. A process outlives the call that started it, so a later call can follow or end it.
// - `Task` is what an agent is asked and its limits, `Order` a task as the driver orders it.
// - `stream/` decodes what they print into one type of event and folds the events: message, thread, tokens, turn.
//   The decoder is total: every line is exactly one event, and an unknown one is kept.
// - `AgentEnding` says how an attempt ended: done, a `FAILED:` report, or a failure with a type. From the type and the
//   earlier attempts `Recovery` decides whether another one follows, and when.
// - `RunAgent` runs one agent through its attempts. `Event`, `State` and `TaskLog` are the facts about agents in the
//   driver's log. `SafeWork` takes a snapshot before and after an agent that may write, and compares git's own state.
// - `AskForResult` and `AskForReview` ask agents until an answer can be used. `Result` and `PlanReview` read it,
//   `CodexResult` adds the fields that the program knows itself, `ResultRetry` decides what follows.
//
// Why it is right: every decision is a function of the log. An attempt is committed before it starts and settled by one
// event, so two calls never start it twice, and a killed call loses nothing. Every decision but the last uses up a
// counter (attempts, failures, invalid results, rejections), so each question ends. Answers are asked for as JSON; the
// only fallback is text with the header lines of the result contract or a verdict line. What cannot be read never
// counts as a pass: exit status 0 is no verdict, and words that deny, limit or contradict an approval win.
import { Context, type Effect, type Layer, Schema, type Stream } from "effect"
import { exits } from "../platform/Failure.ts"
import type { AgentKind, AgentRef } from "../log/Refs.ts"
import { GuardReason, guardReasonText } from "../platform/SystemFault.ts"
import type { Digest } from "../run/Event.ts"
import type { Usage } from "../run/Usage.ts"
import type { AgentEnding } from "./AgentEnding.ts"
import type { AgentLimits, AgentTask } from "./Task.ts"
import type { AgentEvent } from "./stream/AgentEvent.ts"
import type { Turn } from "./stream/AgentStream.ts"

/** `StateInWorktree`: the agent may write into a worktree that also holds this program's records. */
export const AgentReason = Schema.Union([
  GuardReason,
  Schema.TaggedStruct("StateInWorktree", { root: Schema.String, worktree: Schema.String })
])
export type AgentReason = typeof AgentReason.Type

const reasonText = (reason: AgentReason): string =>
  reason._tag === "StateInWorktree"
    ? `the agent could change the program's own records: the state root ${reason.root} lies inside the worktree ` +
      `${reason.worktree}; name another one by --state-root or OODA_STATE_ROOT`
    : guardReasonText(reason)

/** An agent could not be started, followed or stopped on this machine. `what` names the action. */
export class AgentFault extends Schema.TaggedError<AgentFault>()("AgentFault", {
  what: Schema.String,
  reason: AgentReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.what}: ${reasonText(this.reason)}`
  }
}

/** How an attempt ended, and what its stream said. `transcript` is the digest of all that it printed. */
export interface AgentEnded {
  readonly ending: AgentEnding
  readonly message: string | null
  readonly threadId: string | null
  readonly usage: Usage | null
  readonly turn: Turn
  /** The window of the model's context in tokens, if known. */
  readonly contextWindow: number | null
  readonly transcript: Digest
  /** Whether its tool calls show that it read something, or that it read nothing; absent if they show neither. */
  readonly read?: "tools" | "nothing"
}

/** What a follower gets: an event with the time at which it was seen (epoch milliseconds), or how it all ended. */
export type AgentUpdate =
  | { readonly _tag: "Heard"; readonly event: AgentEvent; readonly at: number }
  | { readonly _tag: "Ended"; readonly ended: AgentEnded }
  /** The attempt was committed, but its process never began and never will. */
  | { readonly _tag: "NeverBegan" }

/** The thread that an attempt continues, or null; `prompt` replaces the task's prompt. */
export interface AgentTurn {
  readonly thread: string | null
  readonly prompt: string
}

export class Agent extends Context.Service<Agent, {
  /** Whether the agent keeps to the sandbox of its task. Any other agent needs a person's consent. */
  readonly confined: boolean
  /** The kind that this port starts; it follows and stops agents of every kind. */
  readonly kind: AgentKind
  /** Starts an attempt that a log has committed. A program that cannot be found ends the attempt as `Missing`. */
  readonly start: (attempt: AgentRef, task: AgentTask, turn: AgentTurn) => Effect.Effect<void, AgentFault>
  /**
   * Follows an attempt from its beginning to its end, whoever started it. The last element is `Ended` or `NeverBegan`.
   * An attempt that exceeds a limit is ended first. Interrupting this leaves the agent running.
   */
  readonly follow: (attempt: AgentRef, limits: AgentLimits) => Stream.Stream<AgentUpdate, AgentFault>
  /** Ends attempts and everything they started. Returns how many processes of theirs lived. */
  readonly stop: (attempts: ReadonlyArray<AgentRef>) => Effect.Effect<number, AgentFault>
}>()("ooda-codex-review/services/Agent") {}

// The agents that a call can choose from: the port to each kind, by its program.

export class AgentKinds extends Context.Service<AgentKinds, {
  /** The agents of a kind: codex and claude by the name or path of the program, a command by its shell line. */
  readonly of: (kind: AgentKind, program: string | null) => Layer.Layer<Agent>
}>()("ooda-codex-review/services/AgentKinds") {}
