// SignalsLive: SIGINT, SIGTERM and SIGHUP of this process as one effect.
// The one rule: the first signal ends the step in order, with its record; a second one ends the process at once.
import { Effect, Layer } from "effect"
import { type SignalName, Signals } from "../services/Signals.ts"

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const satisfies Record<SignalName, number>
const names: ReadonlyArray<SignalName> = ["SIGHUP", "SIGINT", "SIGTERM"]

const asked = Effect.callback<SignalName>((resume) => {
  let first = true
  const handlers = names.map((name) => {
    const handle = () => {
      if (!first) process.exit(128 + numbers[name])
      first = false
      resume(Effect.succeed(name))
    }
    process.on(name, handle)
    return { name, handle }
  })
  // While the end is being recorded the handlers stay, or the default action would cut the record short.
  return Effect.sync(() => {
    if (first) for (const { handle, name } of handlers) process.off(name, handle)
  })
})

/** The live layer. */
export const layer = Layer.succeed(Signals, { asked })
