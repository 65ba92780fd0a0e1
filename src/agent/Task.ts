// Task: what an agent is asked to do, and its limits.
//
// The folder, in reading order:
// - `Agent` is the port: start an attempt, follow it from its first byte, stop it. `Kinds.live` has codex, Claude Code
//   and any program of the shell; a process outlives the call that started it, so a later call can follow it.
// - `stream/` decodes what they print into one type of event and folds the events: message, thread, tokens, turn.
//   The decoder is total: every line is exactly one event, and an unknown one is kept.
// - `AgentEnding` says how an attempt ended: done, a `FAILED:` report, or a failure with a type. `Recovery` decides from
//   the type and the earlier attempts whether another one follows, and when.
// - `RunAgent` runs one agent through its attempts. `Event`, `State` and `TaskLog` are the facts about agents in the
//   driver's log. `SafeWork` takes a snapshot before and after an agent that may write, and compares git's own state.
// - `AskForResult` and `AskForReview` ask agents until an answer can be used. `Result` and `PlanReview` read it,
//   `CodexResult` adds the fields that the program knows itself, `ResultRetry` decides what follows.
//
// Why it is right: every decision is a function of the log. An attempt is committed before it starts and settled by one
// event, so two calls never start it twice, and a killed call loses nothing. Every decision that is not the end uses up a
// counter (attempts, failures, invalid results, rejections), so each question ends. Answers are asked for as JSON; the
// header lines of the result contract and the verdict line are the one text fallback. What cannot be read is never
// taken for a pass: an exit status of 0 is no verdict, and words that deny, limit or contradict an approval win.
import { Schema } from "effect"
import { roles } from "./Result.ts"

/** What an agent may do to the files of its working directory. */
export const Sandbox = Schema.Literals(["read-only", "workspace-write"])
export type Sandbox = typeof Sandbox.Type

const week = 7 * 24 * 3_600_000
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: week }))
const oneLine = (text: string): string | undefined =>
  /^[^\p{Cc}]{1,200}$/u.test(text) ? undefined : "expected one line of at most 200 characters"

/**
 * Limits of one attempt: in all, before its first event, and between two events while no command of its own is open
 * (milliseconds); and the most that it may print (bytes). Connecting again is no event. A `command` has no `first` and
 * no `idle`.
 */
export const AgentLimits = Schema.Struct({
  timeout: Millis,
  first: Millis,
  idle: Millis,
  maxTranscript: Schema.Int.check(Schema.isGreaterThan(0))
})
export type AgentLimits = typeof AgentLimits.Type

export const defaultLimits: AgentLimits = {
  timeout: 60 * 60_000,
  first: 60_000,
  idle: 10 * 60_000,
  maxTranscript: 1024 * 1024 * 1024
}

/** What one agent is asked. `cwd` is the root of the worktree; `findings` the document that its prompt speaks of. */
export const AgentTask = Schema.Struct({
  role: Schema.Literals(roles),
  taskId: Schema.String.check(Schema.makeFilter(oneLine)),
  prompt: Schema.String.check(Schema.isNonEmpty()),
  cwd: Schema.String,
  sandbox: Sandbox,
  /** Whether the code in `cwd` may be somebody else's. Then nothing in it configures the agent, as far as it allows. */
  untrusted: Schema.optionalKey(Schema.Boolean),
  /** The reasoning effort and the model; null leaves the agent's own. */
  effort: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  findings: Schema.NullOr(Schema.String),
  /** The JSON schema of the answer, for agents that can hold to one. */
  answer: Schema.NullOr(Schema.Json),
  limits: AgentLimits
})
export type AgentTask = typeof AgentTask.Type
