// Recovery: what follows an attempt that failed. First, how it ended, from its last event and its words in the log.
import type { AgentKind } from "../log/Refs.ts"
import { type Identity, sameInput } from "../run/Identity.ts"
import {
  type AgentEnding,
  type AgentFailure,
  failureOf,
  parseFailedReport,
  quotaReset,
  remedyOf
} from "./AgentEnding.ts"
import type { AttemptCause, AttemptFailure, TaskEventOf } from "./Event.ts"
import type { AgentLimits } from "./Task.ts"

const failed = (
  { exit, failure }: TaskEventOf<"AgentFailed">,
  message: string,
  { idle, timeout }: AgentLimits
): AgentEnding => {
  const recognized = failureOf(message, exit)
  if (recognized._tag === failure) return recognized
  switch (failure) {
    case "Quota":
      return { _tag: failure, message, until: null }
    case "RateLimited":
      return { _tag: failure, message, after: null }
    case "Idle":
      return { _tag: failure, message, after: idle }
    case "Deadline":
      return { _tag: failure, message, after: timeout }
    case "Crashed":
      return { _tag: failure, message, exit }
    case "Empty":
      return { _tag: failure, message, unreadable: false }
    default:
      return { _tag: failure, message }
  }
}

/** The ending that an event records. `message` is the whole of the event's message; `limits` are the task's. */
export const loggedEnding = (
  event: TaskEventOf<"AgentFinished" | "AgentFailed">,
  message: string,
  limits: AgentLimits
): AgentEnding => {
  if (event._tag === "AgentFailed") return failed(event, message, limits)
  const report = event.ending === "Reported" ? parseFailedReport(message) : null
  return report === null ? { _tag: "Done", message } : { _tag: "Reported", message, report }
}

// How long to wait before an agent is tried again, where the service names no delay.

/** The first wait and the longest one, in milliseconds. */
interface BackoffLimits {
  readonly base: number
  readonly cap: number
}

/** Codex's own limits. It has no cap: this is the largest exact number, reached at attempt 47. */
const codexBackoff: BackoffLimits = { base: 200, cap: Number.MAX_SAFE_INTEGER }
/** The limits between attempts of whole agents. */
export const agentBackoff: BackoffLimits = { base: 5_000, cap: 120_000 }

/**
 * Milliseconds to wait before attempt `attempt + 1`: they double with each attempt, spread by a tenth either way.
 * `attempt` counts from 1; `random` lies in [0, 1).
 */
export const backoffMillis = (attempt: number, random: number, { base, cap }: BackoffLimits = codexBackoff): number =>
  Math.min(cap, Math.floor(base * 2 ** (attempt > 1 ? attempt - 1 : 0) * (0.9 + 0.2 * random)))

// Whether an implementer's message reads like a plan instead of work.
// Only the worktree can show that nothing was done.

/** Patterns of one line each. Marks, numbers and list signs may stand around the words. */
const ofLines = [/^[^\p{L}]*(?:detailed\s+)?plan(?![\p{L}\p{N}_])/iu, /(?<![\p{L}\p{N}_])plan[\s:*_`"'\u2019)\]]*$/iu]
const anywhere = [
  /\bhere['\u2019]s\s+what\s+i['\u2019]ll\s+do\b/i,
  /\bi(?:\s+will|['\u2019]ll|\s+can)\s+plan\b/i,
  /\bi(?:\s+will|['\u2019]ll)\s+(?:implement|do|make)\b/i,
  /\bthe\s+implementation\s+will\b/i
]

/** Whether a message reads like a plan. */
export const looksLikePlanOnly = (text: string): boolean =>
  anywhere.some((pattern) => pattern.test(text)) ||
  text.split(/\r\n|[\n\r]/).some((line) => ofLines.some((pattern) => pattern.test(line)))

// What follows a failed attempt: another one, after which wait, or the end.
// The same history gives the same decision. Every decision uses something up, so an agent always ends.

/** How often each thing may happen to one agent. `attempts` counts all but those that ask more firmly. */
export const recoveryLimits = { attempts: 3, empty: 1, compacted: 1, firmer: 3 } as const

/** The longest wait that a timer can hold, in milliseconds: almost 25 days. */
const longest = 2_147_483_647
const minute = 60_000

/** An earlier attempt of the agent, from the log. */
export interface PastAttempt {
  readonly failure: AttemptFailure
  readonly next: AttemptCause
}

/** The attempt that has just failed. `id` is its own, and spreads the wait; `thread` can be continued, or is null. */
interface FailedAttempt {
  readonly kind: AgentKind
  readonly id: string
  readonly failure: AgentFailure
  readonly thread: string | null
}

/** What the caller allows, and the time. `waitQuota`: the longest wait for a quota; `zone`: see `quotaReset`. */
export interface RecoveryOptions {
  readonly waitQuota: number
  readonly canCompact: boolean
  readonly now: number
  readonly zone: number
}

/** The next action. `wait` is in milliseconds. */
export type Recovery =
  | { readonly _tag: "Again"; readonly next: AttemptCause; readonly wait: number; readonly because: string }
  | { readonly _tag: "Stop"; readonly remedy: string }

/** A number in [0, 1) that depends on an id alone. */
const spread = (id: string): number =>
  [...id].reduce((sum, c) => (sum * 31 + (c.codePointAt(0) ?? 0)) % 9_973, 7) / 9_973

const times = (past: ReadonlyArray<PastAttempt>, meant: (one: PastAttempt) => boolean): number =>
  past.filter(meant).length

/** The wait before the next attempt and its reason; null if this failure is not tried again. */
const waitAfter = (past: ReadonlyArray<PastAttempt>, { failure, id }: FailedAttempt, given: RecoveryOptions) => {
  const failed = times(past, (one) => one.failure !== "PlanOnly") + 1
  const backoff = { wait: backoffMillis(failed, spread(id), agentBackoff), why: "" }
  switch (failure._tag) {
    case "RateLimited":
      return failure.after === null ? backoff : { wait: failure.after, why: "; the service named the wait" }
    case "Overloaded":
    case "Stream":
    case "Crashed":
    case "Idle":
      return backoff
    case "Empty":
      return times(past, (one) => one.failure === "Empty") < recoveryLimits.empty ? backoff : null
    case "ContextWindow":
      return given.canCompact && times(past, ({ next }) => next === "Compacted") < recoveryLimits.compacted
        ? { wait: 0, why: "; the prompt is made shorter" }
        : null
    case "Quota": {
      const reset = failure.until === null ? null : quotaReset(failure.until, given.now, given.zone)
      const left = reset === null ? null : Math.max(0, reset - given.now)
      // The service names the minute of the reset, not its second.
      const then = "; the quota is full again then"
      return left !== null && left <= given.waitQuota ? { wait: left + minute, why: then } : null
    }
    case "Interrupted":
    case "Deadline":
    case "Login":
    case "SandboxDenied":
    case "BadArguments":
    case "Missing":
      return null
  }
}

const reasons = {
  RateLimited: "the service limits the rate of requests",
  Overloaded: "the model's service is overloaded",
  Stream: "the connection broke off",
  Crashed: "the agent's program failed",
  Idle: "the agent showed no progress",
  Empty: "the agent gave no answer",
  ContextWindow: "the prompt did not fit the model's context",
  Quota: "the account's usage limit is reached",
  Interrupted: "the agent was interrupted",
  Deadline: "the agent ran out of time",
  Login: "the agent is not logged in",
  SandboxDenied: "the sandbox refused the agent",
  BadArguments: "the agent refused its arguments",
  Missing: "the agent's program is missing"
} as const satisfies Record<AgentFailure["_tag"], string>

/** What follows an attempt that failed, after the earlier attempts of the same agent, oldest first. */
export const recover = (past: ReadonlyArray<PastAttempt>, attempt: FailedAttempt, given: RecoveryOptions): Recovery => {
  const failed = times(past, (one) => one.failure !== "PlanOnly") + 1
  const after = failed < recoveryLimits.attempts ? waitAfter(past, attempt, given) : null
  if (after === null) return { _tag: "Stop", remedy: remedyOf(attempt.failure, attempt.kind) }
  const fresh = attempt.failure._tag === "ContextWindow" ? "Compacted" : "Again"
  const next = fresh === "Again" && attempt.thread !== null ? "Continued" : fresh
  const because = `${reasons[attempt.failure._tag]} (${failed} of ${recoveryLimits.attempts} attempts)${after.why}`
  return { _tag: "Again", next, wait: Math.min(longest, Math.ceil(after.wait)), because }
}

/** Whether an implementer is asked again: its message reads like a plan, and the worktree has not changed. */
export const isAskedFirmer = (
  past: ReadonlyArray<PastAttempt>,
  message: string,
  before: Identity | null,
  after: Identity
): boolean =>
  times(past, ({ next }) => next === "Firmer") < recoveryLimits.firmer && looksLikePlanOnly(message) &&
  before !== null && sameInput(before, after) === "Same"

const firmness = [
  "Your answer is a plan, and no file has changed.",
  "Your answer is a plan again, and still no file has changed.",
  "This is the last time that you are asked: no file has changed yet."
]

/** The words that ask an implementer for the work itself, after so many earlier ones. */
export const firmerWords = (asked: number): string =>
  `${firmness[Math.min(asked, firmness.length - 1)] ?? ""} Do not describe the work. Do it now: edit the files, ` +
  "then answer in the form that you were asked for."
