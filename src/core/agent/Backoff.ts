// Backoff: how long to wait before an agent is tried again, where the service names no delay.

/** The first wait and the longest one, in milliseconds. */
export interface BackoffLimits {
  readonly base: number
  readonly cap: number
}

/** Codex's own limits. It has no cap: this one is the largest number that is exact, from attempt 47 on. */
export const codexBackoff: BackoffLimits = { base: 200, cap: Number.MAX_SAFE_INTEGER }
/** The limits between attempts of whole agents. */
export const agentBackoff: BackoffLimits = { base: 5_000, cap: 120_000 }

/**
 * Milliseconds to wait before attempt `attempt + 1`: they double with each attempt, spread by a tenth either way.
 * `attempt` counts from 1; `random` lies in [0, 1).
 */
export const backoffMillis = (attempt: number, random: number, { base, cap }: BackoffLimits = codexBackoff): number =>
  Math.min(cap, Math.floor(base * 2 ** (attempt > 1 ? attempt - 1 : 0) * (0.9 + 0.2 * random)))
