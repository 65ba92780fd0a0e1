// Showing: what a driven run does, shown to a person who watches, once a second while its driver waits.
// Where nobody watches nothing is gathered.
import { Clock, Effect, Schedule } from "effect"
import { gatherView } from "../runs/GatherView.ts"
import { spendingOf } from "../runs/Spending.ts"
import { Progress } from "../services/Progress.ts"
import type { Driving } from "./Driving.ts"

// Milliseconds between two frames.
const showEvery = 1000

/** Looks at a run; each look reads on from where the one before ended. */
const looking = ({ run: { ref }, settings, spent: before }: Driving) => {
  const knows = { ceiling: settings.step.ceiling, limits: settings }
  let spent = before
  return Effect.gen(function*() {
    spent = yield* spendingOf(ref, spent)
    return (yield* gatherView(ref, spent, knows, yield* Clock.currentTimeMillis)) ?? undefined
  })
}

/** Works while a person sees what an agent or a test does. */
export const shown = Effect.fn("Showing.shown")(function*<A, E, R>(driving: Driving, work: Effect.Effect<A, E, R>) {
  const { clear, on, show } = yield* Progress
  if (!on) return yield* work
  const showing = Effect.flatMap(looking(driving), (view) => show([], view)).pipe(
    Effect.repeat(Schedule.spaced(showEvery)),
    Effect.andThen(Effect.never)
  )
  return yield* Effect.ensuring(Effect.raceFirst(work, showing), clear)
})

/** A step whose reviewers are shown below where the driven run stands. */
export const showingReviews = Effect.fn("Showing.showingReviews")(
  function*<A, E, R>(driving: Driving, step: Effect.Effect<A, E, R>) {
    const progress = yield* Progress
    if (!progress.on) return yield* step
    const look = yield* Effect.context<Effect.Services<ReturnType<typeof looking>>>()
    const view = Effect.provide(looking(driving), look)
    return yield* Effect.provideService(step, Progress, {
      ...progress,
      show: (rows) => Effect.flatMap(view, (driven) => progress.show(rows, driven))
    })
  }
)
