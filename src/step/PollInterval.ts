// PollInterval: how long a step waits at a time, as the environment says.
import { Effect, Schema } from "effect"
import { variable } from "../services/Environment.ts"

/** A setting of the environment is unusable. */
export class BadEnvironment extends Schema.TaggedError<BadEnvironment>()("BadEnvironment", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The poll interval where the environment names none, in milliseconds. */
export const defaultInterval = 30_000

/** The poll interval in milliseconds from `OODA_AWAIT_SECS`: fractions and 0 are allowed. */
export const pollInterval = Effect.gen(function*() {
  const text = yield* variable("OODA_AWAIT_SECS")
  if (text === null) return defaultInterval
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 86_400) return Math.round(Number(text) * 1000)
  const reason = `OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "${text}"`
  return yield* new BadEnvironment({ reason })
})
