// BusyLine: a terminal line while a command has no output yet.
import { Clock, Context, Effect, Fiber } from "effect"
import { Output } from "../../platform/Process.ts"
import { span } from "../../text/Phrases.ts"

// The port to a person at a terminal who waits for a subcommand without output.
// It is optional: without it, a subcommand works in silence.

/** The text that a person sees meanwhile. */
interface Shown {
  /** Whether anybody sees it. */
  readonly on: boolean
  /** Whether a line may also be shown below earlier output: not if a pager may have taken the terminal. */
  readonly again: boolean
  /** Shows one line, replacing the last one. Never fails: a line that cannot be drawn is skipped. */
  readonly show: (line: string) => Effect.Effect<void>
  /** Removes the line. */
  readonly clear: Effect.Effect<void>
}

export const Waiting = Context.Reference<Shown>("ooda-codex-review/services/Waiting", {
  defaultValue: () => ({ on: false, again: false, show: () => Effect.void, clear: Effect.void })
})

// Shows on the terminal how long a subcommand has worked, while it has no output.

const everySecond = 1000

/** Works, and shows it once a second whenever nothing has been written for that long. */
export const whileItWorks = Effect.fnUntraced(function*<A, E, R>(name: string, work: Effect.Effect<A, E, R>) {
  const { again, clear, on, show } = yield* Waiting
  if (!on) return yield* work
  const output = yield* Effect.serviceOption(Output)
  const since = yield* Clock.currentTimeMillis
  let quietSince = since
  let isShown = false
  // Not while a text is being written, nor within a line.
  let isFree = true
  const tick = Effect.gen(function*() {
    yield* Effect.sleep(everySecond)
    const now = yield* Clock.currentTimeMillis
    if (!isFree || now - quietSince < everySecond) return
    isShown = true
    yield* show(`${name}  ${span(now - since)}`)
  })
  const ticking = yield* Effect.forkChild(Effect.forever(tick))
  // Only a line drawn here is cleared: anything else on the terminal was written by the subcommand.
  const taken = Effect.suspend(() => {
    const wasShown = isShown
    isShown = false
    return wasShown ? clear : Effect.void
  })
  const begun = Effect.suspend(() => {
    isFree = false
    return taken
  })
  const ended = (text: string) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      quietSince = now
      isFree = again && text.endsWith("\n")
    })
  const working = output._tag === "None"
    ? work
    : Effect.provideService(work, Output, {
      write: (text) => begun.pipe(Effect.andThen(output.value.write(text)), Effect.andThen(ended(text)))
    })
  return yield* Effect.ensuring(working, Effect.andThen(Fiber.interrupt(ticking), taken))
})
