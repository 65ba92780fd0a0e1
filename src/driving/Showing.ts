// Showing: what a driven run does, shown to a person who watches, once a second while its driver waits.
// If nobody watches, nothing is gathered.
import { Effect, Schedule } from "effect"
import type { LiveView } from "../core/driven/LiveView.ts"
import { Progress } from "../services/Progress.ts"

// Milliseconds between two frames.
const showEvery = 1000

/** Works while a person sees what `looking` finds, which is looked at anew for each frame. */
export const shownWhile = Effect.fn("Showing.shownWhile")(
  function*<A, E, R, R2>(looking: Effect.Effect<LiveView | null, never, R2>, work: Effect.Effect<A, E, R>) {
    const { clear, on, show } = yield* Progress
    if (!on) return yield* work
    const showing = Effect.flatMap(looking, (view) => show([], view ?? undefined)).pipe(
      Effect.repeat(Schedule.spaced(showEvery)),
      Effect.andThen(Effect.never)
    )
    return yield* Effect.ensuring(Effect.raceFirst(work, showing), clear)
  }
)
