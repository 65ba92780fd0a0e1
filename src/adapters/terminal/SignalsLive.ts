// SignalsLive: SIGINT, SIGTERM and SIGHUP of this process as one effect.
// The one rule: the first signal ends the step in order, with its record; more of them do not cut that short.
import { Effect, Layer } from "effect"
import { type SignalName, Signals } from "../../services/Signals.ts"

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const satisfies Record<SignalName, number>
const names: ReadonlyArray<SignalName> = ["SIGHUP", "SIGINT", "SIGTERM"]

// Milliseconds that an end in order may take at the very worst: reviewers that do not want to die, large transcripts.
// People press Ctrl-C twice, and npx passes on what the terminal has already sent: neither may leave reviewers behind.
const respite = 20_000

const asked = Effect.callback<SignalName>((resume) => {
  let first = true
  let over = false
  const handlers = names.map((name) => {
    const handle = () => {
      if (over) process.exit(128 + numbers[name])
      if (!first) return
      first = false
      setTimeout(() => (over = true), respite).unref()
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
