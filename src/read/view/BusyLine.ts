// BusyLine: a terminal line while a command has nothing to show.
import { Clock, Context, Effect, Fiber } from "effect"
import { Output } from "../../platform/Process.ts"
import { span } from "../../text/Phrases.ts"

// The port to a person at a terminal who waits for a subcommand that has nothing to show.
// It is optional: without it, a subcommand works in silence.

/** What a person sees meanwhile. */
interface Shown {
  /** Whether anybody sees it. */
  readonly on: boolean
  /** Whether a line may also be shown below what has been written: not where a pager may have taken the terminal. */
  readonly again: boolean
  /** Shows one line in place of the one before. Never fails: what cannot be drawn is not drawn. */
  readonly show: (line: string) => Effect.Effect<void>
  /** Takes the line away. */
  readonly clear: Effect.Effect<void>
}

export const Waiting = Context.Reference<Shown>("ooda-codex-review/services/Waiting", {
  defaultValue: () => ({ on: false, again: false, show: () => Effect.void, clear: Effect.void })
})

// Says on the terminal for how long a subcommand has worked, while it has nothing to show.

const everySecond = 1000

/** Works, and says so once a second whenever nothing has been written for that long. */
export const whileItWorks = Effect.fnUntraced(function*<A, E, R>(name: string, work: Effect.Effect<A, E, R>) {
  const { again, clear, on, show } = yield* Waiting
  if (!on) return yield* work
  const output = yield* Effect.serviceOption(Output)
  const since = yield* Clock.currentTimeMillis
  let quietSince = since
  let isShown = false
  // Not while a text is on its way, nor in the midst of a line.
  let isFree = true
  const tick = Effect.gen(function*() {
    yield* Effect.sleep(everySecond)
    const now = yield* Clock.currentTimeMillis
    if (!isFree || now - quietSince < everySecond) return
    isShown = true
    yield* show(`${name}  ${span(now - since)}`)
  })
  const ticking = yield* Effect.forkChild(Effect.forever(tick))
  // Only a line that this has drawn is cleared: anything else on the terminal was written by the subcommand.
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
