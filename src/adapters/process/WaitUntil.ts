// WaitUntil: waiting for a condition of the machine that nothing announces.
import { Effect, Schedule } from "effect"
import { type GuardFault, trySync } from "./GuardFault.ts"

// Milliseconds: 20, 40, 80, then every 100.
const pauses = Schedule.min([Schedule.exponential(20), Schedule.spaced(100)])

/**
 * Waits until a condition holds, at most `limit` milliseconds, and says whether it does. A timer measures the limit, so
 * that setting the clock does not change it. The condition is looked at once more when the limit has passed.
 */
export const waitUntil = (what: string, limit: number, holds: () => boolean): Effect.Effect<boolean, GuardFault> => {
  const look = trySync(what, holds)
  return look.pipe(
    Effect.repeat({ until: (held) => held, schedule: pauses }),
    Effect.timeoutOrElse({ duration: limit, orElse: () => look })
  )
}
