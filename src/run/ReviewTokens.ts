// ReviewTokens: the kinds of failures, sources of verdicts and states of reviewers that events record.
// Tokens are never renamed.
import { Schema } from "effect"

/** Why a slot can fail: first the causes that codex itself names, then what can happen to its process. */
export const FailureKind = Schema.Literals([
  "RateLimited",
  "ServerError",
  "StreamLost",
  "Overloaded",
  "NotLoggedIn",
  "Quota",
  "BadArguments",
  "NotTrusted",
  "ModelNotFound",
  "ContextTooLarge",
  "Unknown",
  "Deadline",
  "Idle",
  "Lost",
  "Unstarted",
  "NoReview",
  "Unread",
  "MissingBinary",
  "TranscriptTooLarge",
  "NetworkWait",
  "KilledBySignal",
  "ExitStatus"
])
export type FailureKind = typeof FailureKind.Type

interface Advice {
  readonly transient: boolean
  readonly remedy: string
}

const advice = {
  RateLimited: { transient: true, remedy: "wait a while, or run fewer reviewers at once (-n)" },
  ServerError: { transient: true, remedy: "the model's service had an error; run the step again later" },
  StreamLost: { transient: true, remedy: "the connection broke off; check the network and run the step again" },
  Overloaded: { transient: true, remedy: "the model is at capacity; run the step again later or choose another model" },
  NotLoggedIn: { transient: false, remedy: "run `codex login`, or set CODEX_API_KEY" },
  Quota: { transient: false, remedy: "the account's usage limit is reached; wait for its reset or buy credits" },
  BadArguments: { transient: false, remedy: "codex refused its arguments or the request; read the transcript" },
  NotTrusted: { transient: false, remedy: "run inside a git repository that codex trusts" },
  ModelNotFound: { transient: false, remedy: "choose a model and a provider this account may use in codex's config" },
  ContextTooLarge: { transient: false, remedy: "the change is too large for the model; review it in smaller parts" },
  Unknown: { transient: false, remedy: "read the end of the transcript" },
  Deadline: { transient: false, remedy: "the reviewer ran out of time; raise --review-timeout" },
  Idle: { transient: false, remedy: "the reviewer showed no progress; run the step again or raise --idle-timeout" },
  Lost: { transient: false, remedy: "the reviewer's process died without a trace; run the step again" },
  Unstarted: { transient: true, remedy: "the reviewer never started; run the step again" },
  NoReview: { transient: false, remedy: "codex ended without a review; read the transcript, then run the step again" },
  Unread: {
    transient: false,
    remedy: "check that git and codex's sandbox work here, read the transcript, then run the step again"
  },
  MissingBinary: { transient: false, remedy: "install codex, or name it with --codex-bin" },
  TranscriptTooLarge: { transient: false, remedy: "read the end of the transcript to see what the reviewer printed" },
  NetworkWait: { transient: false, remedy: "codex waits for the network; check the connection and run the step again" },
  KilledBySignal: { transient: false, remedy: "a signal ended the reviewer; find its sender and run the step again" },
  ExitStatus: { transient: false, remedy: "codex ended with an error; read the end of the transcript" }
} as const satisfies Record<FailureKind, Advice>

/** Whether trying again is likely to help. It never does for login, quota and arguments. */
export const isTransient = (kind: FailureKind): boolean => advice[kind].transient

/** One line for people: what to do about it. */
export const remedy = (kind: FailureKind): string => advice[kind].remedy

/**
 * Where a verdict was read:
 *
 * - `session`: codex's session file, as it recorded the review;
 * - `stdout`: the reviewer's separate standard output, whole;
 * - `marker`: the text behind the last line `codex` of a reviewer that prints everything to one stream.
 *
 * Kept apart from the classifier, because every step reads events and few steps read a review.
 */
export const VerdictSource = Schema.Literals(["session", "stdout", "marker"])
export type VerdictSource = typeof VerdictSource.Type

/** How a reviewer is known to have read the change: it was given it, its tools read it, or nothing shows it. */
export const HowRead = Schema.Literals(["given", "tools", "not-shown"])
export type HowRead = typeof HowRead.Type

/**
 * What one look at an attempt shows. `silentFor` is the time since its transcript last made progress; `oversize`
 * says that the wrapper ended it because its transcript outgrew its limit while no step was looking.
 */
export type ReviewerState =
  | { readonly _tag: "Alive"; readonly silentFor: number; readonly waitingForNetwork: number; readonly bytes: number }
  | { readonly _tag: "Exited"; readonly status: number; readonly deadline: boolean; readonly oversize?: boolean }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Unstarted" }
