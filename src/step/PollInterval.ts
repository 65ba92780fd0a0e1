// PollInterval: how long a step waits at a time, as the environment says.
import { Effect, Schema } from "effect"
import { variable } from "../services/Environment.ts"

/** The program cannot work as it was called: its directory is gone, or a variable holds no usable value. */
export class BadEnvironment extends Schema.TaggedError<BadEnvironment>()("BadEnvironment", {
  reason: Schema.Union([
    Schema.TaggedStruct("NoDirectory", {}),
    Schema.TaggedStruct("BadInterval", { text: Schema.String })
  ])
}) {
  override get message() {
    return this.reason._tag === "NoDirectory"
      ? "the current directory does not exist any more"
      : `OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "${this.reason.text}"`
  }
}

/** The poll interval where the environment names none, in milliseconds. */
export const defaultInterval = 30_000

/** The poll interval in milliseconds from `OODA_AWAIT_SECS`: fractions and 0 are allowed. */
export const pollInterval = Effect.gen(function*() {
  const text = yield* variable("OODA_AWAIT_SECS")
  if (text === null) return defaultInterval
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 86_400) return Math.round(Number(text) * 1000)
  return yield* new BadEnvironment({ reason: { _tag: "BadInterval", text } })
})
