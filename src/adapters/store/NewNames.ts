// NewNames: the names of what is new: of runs by the present nanosecond and this process, all others by chance.
import { randomBytes, randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import { runId } from "../../core/run/RunId.ts"

/** A new run id for now. */
export const newRunId: Effect.Effect<string> = Effect.map(Clock.currentTimeNanos, (now) => {
  const second = new Date(Number(now / 1_000_000_000n) * 1000).toISOString()
  return runId(second, Number(now % 1_000_000_000n), process.pid)
})

/** 32 random hexadecimal digits. */
export const nonce: Effect.Effect<string> = Effect.sync(() => randomBytes(16).toString("hex"))

/** A new id of a review attempt. */
export const newAttemptId: Effect.Effect<string> = Effect.sync(() => randomUUID())
