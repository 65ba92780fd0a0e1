// WhileItWorks: says on the terminal for how long a subcommand has worked, until it has something to show.
import { Clock, Effect, Fiber } from "effect"
import { span } from "../core/text/Phrases.ts"
import { Output } from "../services/Output.ts"
import { Waiting } from "../services/Waiting.ts"

const everySecond = 1000

/** Works, and from the first second on says so once a second until the first text is written, or the end. */
export const whileItWorks = Effect.fnUntraced(function*<A, E, R>(name: string, work: Effect.Effect<A, E, R>) {
  const { clear, on, show } = yield* Waiting
  if (!on) return yield* work
  const output = yield* Effect.serviceOption(Output)
  const since = yield* Clock.currentTimeMillis
  let isShown = false
  const tick = Effect.gen(function*() {
    yield* Effect.sleep(everySecond)
    isShown = true
    yield* show(`${name}  ${span((yield* Clock.currentTimeMillis) - since)}`)
  })
  const ticking = yield* Effect.forkChild(Effect.forever(tick))
  // A line that is not there is not taken away: it may be the beginning of one that the subcommand has written.
  const taken = Effect.suspend(() => {
    const wasShown = isShown
    isShown = false
    return wasShown ? clear : Effect.void
  })
  const over = Effect.andThen(Fiber.interrupt(ticking), taken)
  const working = output._tag === "None"
    ? work
    : Effect.provideService(work, Output, { write: (text) => Effect.andThen(over, output.value.write(text)) })
  return yield* Effect.ensuring(working, over)
})
