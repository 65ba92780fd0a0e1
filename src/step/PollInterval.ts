// PollInterval: how long a step waits at a time, as the environment says.
import { Effect } from "effect"
import { BadEnvironment } from "../services/BadEnvironment.ts"
import { variable } from "../services/Environment.ts"

/** The poll interval where the environment names none, in milliseconds. */
export const defaultInterval = 30_000

/** The poll interval in milliseconds from `OODA_AWAIT_SECS`: fractions and 0 are allowed. */
export const pollInterval = Effect.gen(function*() {
  const text = yield* variable("OODA_AWAIT_SECS")
  if (text === null) return defaultInterval
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 86_400) return Math.round(Number(text) * 1000)
  return yield* new BadEnvironment({ reason: { _tag: "BadInterval", text } })
})
