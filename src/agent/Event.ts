// Event: the facts of agents at work on a run.
import { Schema } from "effect"
import { Digest, LongText, Ordinal } from "../run/Event.ts"
import { Usage } from "../run/Usage.ts"
import { Identity } from "../run/Identity.ts"
import { roles, statuses } from "./Result.ts"
import { Sandbox } from "./Task.ts"
import { AgentKind } from "../log/Refs.ts"

// The facts of agents that work on a run. The streams of all drivers contain them under these names.
// A released event is never renamed or removed. Fields are only added, and are optional.

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Why an attempt was started. `Firmer` asks again after an answer that was a plan instead of work. */
export const AttemptCause = Schema.Literals(["First", "Again", "Continued", "Compacted", "Firmer"])
export type AttemptCause = typeof AttemptCause.Type

/** The names of the failures of a step; see `AgentEnding`. */
export const FailureTag = Schema.Literals([
  "Interrupted",
  "Login",
  "Quota",
  "RateLimited",
  "ContextWindow",
  "Overloaded",
  "Stream",
  "SandboxDenied",
  "BadArguments",
  "Missing",
  "Idle",
  "Deadline",
  "Crashed",
  "Empty"
])
export type FailureTag = typeof FailureTag.Type

/** Why an attempt was not enough: it failed, or it only planned the work. */
export const AttemptFailure = Schema.Literals([...FailureTag.literals, "PlanOnly"])
export type AttemptFailure = typeof AttemptFailure.Type

/** What needs a person's consent once a run, or once for each content; each is the value of `--allow`. */
export const Consent = Schema.Literals([
  "unsandboxed",
  "partial-snapshot",
  "red-baseline",
  "more-rounds",
  "rejected-result",
  "repository-tests",
  "commit-hooks",
  "moved-base"
])
export type Consent = typeof Consent.Type

/** How an answer was read: by the result contract, or as a review in JSON or as text; see `PlanReview`. */
export const grammars = ["v2", "legacy", "json", "text", "none"] as const

/** What follows. `correct`: a review is asked for on its thread once more; `convert`: a fresh agent converts it. */
export const judgedActions = [
  "spawn",
  "retry",
  "replace",
  "accept",
  "remediate",
  "block",
  "correct",
  "convert"
] as const

const agent = { agent: Ordinal }
const attempt = { ...agent, attempt: Ordinal }
/** What the stream of an ended attempt said. `usage` covers the whole thread so far. */
const said = {
  message: LongText,
  threadId: Schema.NullOr(Schema.String),
  usage: Schema.NullOr(Usage),
  transcript: Digest,
  /** Whether its tools show that it read something, or that it read nothing. */
  read: Schema.optionalKey(Schema.Literals(["tools", "nothing"]))
}

/** The events, for the union of a driver's stream. Documented one by one in docs/events.md. */
export const taskEvents = {
  /** An attempt is about to start. It is committed first, so that no agent runs that the log does not know. */
  AgentStarted: {
    ...attempt,
    id: Schema.String,
    cause: AttemptCause,
    kind: AgentKind,
    role: Schema.Literals(roles),
    taskId: Schema.String,
    /** The round of the run that it works in. Earlier versions recorded it in the task's name alone. */
    inRound: Schema.optionalKey(Ordinal),
    sandbox: Sandbox,
    effort: Schema.NullOr(Schema.String),
    model: Schema.NullOr(Schema.String),
    /** The thread that it continues; null where it begins one. */
    thread: Schema.NullOr(Schema.String),
    prompt: Digest,
    /** The worktree before it, if needed to know what changed or what a reviewer saw. */
    before: Schema.optionalKey(Identity)
  },
  /** An attempt failed. Another one follows after `wait` milliseconds; `because` says why. */
  AgentAttemptFailed: {
    ...attempt,
    failure: AttemptFailure,
    exit: Schema.NullOr(Count),
    ...said,
    /** The window of the model's context in tokens, where it is known: a compacted prompt must fit it. */
    contextWindow: Schema.optionalKey(Count),
    next: AttemptCause,
    wait: Count,
    because: Schema.String
  },
  /** The agent answered: its work is done, or it reported its own failure. */
  AgentFinished: { ...attempt, ending: Schema.Literals(["Done", "Reported"]), ...said },
  /** The agent failed for good; `remedy` is what a person can do. */
  AgentFailed: { ...attempt, failure: FailureTag, exit: Schema.NullOr(Count), ...said, remedy: Schema.String },
  /** Somebody ended the agent before it had finished. */
  AgentStopped: { ...attempt, cause: Schema.Literals(["Interrupt", "Stop", "Superseded"]) },
  /** An answer was checked against the result contract, or a review was read. */
  ResultJudged: {
    ...agent,
    taskId: Schema.String,
    role: Schema.Literals(roles),
    grammar: Schema.Literals(grammars),
    valid: Schema.Boolean,
    status: Schema.NullOr(Schema.Literals(statuses)),
    action: Schema.Literals(judgedActions),
    problems: Schema.Array(Schema.String)
  },
  /** A person allowed something for the rest of the run; with a `content`, its sha256, exactly that. */
  ConsentGiven: { consent: Consent, content: Schema.optionalKey(Schema.String) },
  /**
   * A snapshot of the worktree was taken before or after an agent. `leftOut` counts the files that it lacks. `meanwhile`
   * names what others changed in the repository while the agent worked.
   */
  SnapshotTaken: {
    ...agent,
    snapshot: Ordinal,
    commit: Schema.String,
    leftOut: Count,
    meanwhile: Schema.optionalKey(Schema.Array(Schema.String))
  },
  /**
   * Nothing shows when an agent or a test ended, or that it began: what changed since the snapshot before it counts as a
   * person's. `files` names the first of `count`.
   */
  EndMissed: {
    worker: Schema.Literals(["Agent", "Test"]),
    number: Ordinal,
    files: Schema.Array(Schema.String),
    count: Count
  },
  /**
   * The agent changed git's own state, or it changed meanwhile: `what` names each part, and the old id of a ref. `files`
   * names the first files that changed while an agent worked that may only read.
   */
  GitStateChanged: {
    ...agent,
    what: Schema.Array(Schema.String),
    files: Schema.optionalKey(Schema.Array(Schema.String))
  }
} as const

/** The union of these events alone. */
export const TaskEvent = Schema.TaggedUnion(taskEvents)
export type TaskEvent = typeof TaskEvent.Type
export type TaskEventOf<Tag extends TaskEvent["_tag"]> = Extract<TaskEvent, { readonly _tag: Tag }>
