// Limits: the limits on a living reviewer that a step enforces, and what is said of one that reached a limit.
// The one rule: the reason names what held the reviewer up, not merely the limit that it ran into.
import { doing } from "../text/Activity.ts"
import { narrowSpan } from "../text/Phrases.ts"
import type { FailureKind } from "../run/FailureKind.ts"
import type { ReviewerState } from "../run/ReviewerState.ts"

/** The limits on a running reviewer that a step enforces. Times in milliseconds, sizes in bytes. */
export interface Limits {
  readonly retries: number
  readonly idleTimeout: number
  readonly networkTimeout: number
  readonly maxTranscript: number
}

/** Why a reviewer has to end. */
export interface Overdue {
  readonly kind: FailureKind
  readonly detail: string
}

/** Why a living reviewer has to be ended now, or null while it may go on. */
export const overdue = (sighting: ReviewerState, limits: Limits): Overdue | null => {
  if (sighting._tag !== "Alive") return null
  const { bytes, silentFor, waitingForNetwork } = sighting
  if (bytes > limits.maxTranscript) {
    return { kind: "TranscriptTooLarge", detail: `the transcript reached ${bytes} bytes` }
  }
  const idle = silentFor >= limits.idleTimeout
  // Silence that is a wait for the network is called that: no longer --idle-timeout would mend it.
  if (waitingForNetwork >= limits.networkTimeout || (idle && waitingForNetwork > 0)) {
    return { kind: "NetworkWait", detail: `waited ${narrowSpan(waitingForNetwork)} for the network` }
  }
  return idle ? { kind: "Idle", detail: `no progress for ${narrowSpan(silentFor)}` } : null
}

/** A detail with what the reviewer was doing by the end of its transcript, where that tells of an activity at all. */
export const whileDoing = (detail: string, logTail: string): string => {
  const last = doing(logTail)
  return last === null ? detail : `${detail}; last seen: ${last}`
}
