// Limits: the limits on a living reviewer that a step enforces, and the messages when it reaches one.
// The reason says what delayed the reviewer, not only which limit it reached.
import { Effect } from "effect"
import { BadEnvironment, variable } from "../platform/Environment.ts"
import type { FailureKind } from "../run/FailureKind.ts"
import type { ReviewerState } from "../run/ReviewTokens.ts"
import type { Settings } from "../run/Settings.ts"
import { span } from "../text/Phrases.ts"
import { lastActivity } from "../text/ProgramOutput.ts"

/** The longest that a reviewer may wait for the network, in milliseconds. */
export const networkTimeout = 5 * 60_000
/** The largest transcript, in bytes. */
export const maxTranscript = 1024 ** 3

/** The limits by which a step records reviewers. With a null `idleTimeout` a living reviewer has no limit. */
export interface Limits extends Pick<Settings, "retries"> {
  readonly idleTimeout: Settings["idleTimeout"] | null
}

/** How long a reviewer whose review is recorded may take to exit, in milliseconds. */
export const answerGrace = 10_000

/** Why a reviewer must end. With `Answered` its review counts. */
export interface Overdue {
  readonly kind: FailureKind | "Answered"
  readonly detail: string
}

/** Why a living reviewer must be ended now, or null. */
export const overdue = (state: ReviewerState, { idleTimeout }: Limits): Overdue | null => {
  if (state._tag !== "Alive") return null
  if (state.answered === true) return { kind: "Answered", detail: "" }
  if (idleTimeout === null) return null
  const { bytes, silentFor, waitingForNetwork } = state
  if (bytes > maxTranscript) {
    return { kind: "TranscriptTooLarge", detail: `the transcript reached ${bytes} bytes` }
  }
  const idle = silentFor >= idleTimeout
  // The message says if the reviewer waits for the network: a longer --idle-timeout would not help.
  if (waitingForNetwork >= networkTimeout || (idle && waitingForNetwork > 0)) {
    return { kind: "NetworkWait", detail: `waited ${span(waitingForNetwork)} for the network` }
  }
  return idle ? { kind: "Idle", detail: `no progress for ${span(silentFor)}` } : null
}

/** The detail, followed by what the reviewer did last if the end of its transcript shows that. */
export const whileDoing = (detail: string, logTail: string): string => {
  const last = lastActivity(logTail)
  return last === null ? detail : `${detail}; last seen: ${last}`
}

/** The default poll interval in milliseconds. */
export const defaultInterval = 30_000

/** The poll interval in milliseconds from `OODA_AWAIT_SECS`: fractions and 0 are allowed. */
export const pollInterval = Effect.gen(function*() {
  const text = yield* variable("OODA_AWAIT_SECS")
  if (text === null) return defaultInterval
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 86_400) return Math.round(Number(text) * 1000)
  return yield* new BadEnvironment({ reason: { _tag: "BadInterval", text } })
})
