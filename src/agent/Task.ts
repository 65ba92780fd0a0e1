// Task: what an agent is asked to do, and its limits.
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
 * Limits of one attempt, in milliseconds: in all, before its first event, and between two events while none of its
 * commands runs; and the most bytes that it may print. A reconnection is no event. `first` and `idle` do not apply to a
 * `command`.
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

/**
 * The request to one agent. `cwd` is the root of the worktree; `findings` is the document that its prompt refers to.
 */
export const AgentTask = Schema.Struct({
  role: Schema.Literals(roles),
  taskId: Schema.String.check(Schema.makeFilter(oneLine)),
  /** The round of the run that it is of, if any. */
  round: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
  prompt: Schema.String.check(Schema.isNonEmpty()),
  cwd: Schema.String,
  sandbox: Sandbox,
  /**
   * Whether the code in `cwd` may be a stranger's. Then nothing in it configures the agent, as far as the agent allows.
   */
  untrusted: Schema.optionalKey(Schema.Boolean),
  /** The reasoning effort and the model; null for the agent's own. */
  effort: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  findings: Schema.NullOr(Schema.String),
  /** The JSON schema of the answer, for agents that support one. */
  answer: Schema.NullOr(Schema.Json),
  limits: AgentLimits
})
export type AgentTask = typeof AgentTask.Type
