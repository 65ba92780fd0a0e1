// Showing: how a person who watches sees a run that converges, and the reviewers of its steps below it.
import { Clock, Effect } from "effect"
import { shownWhile } from "../driving/Showing.ts"
import { gatherView } from "../runs/GatherView.ts"
import { spendingOf } from "../runs/Spending.ts"
import { Progress } from "../services/Progress.ts"
import type { Driving } from "./Driving.ts"

/** Looks at a run; each look reads on from where the one before ended. */
const looking = ({ run: { ref }, settings, spent: before }: Driving) => {
  const knows = { ceiling: settings.step.ceiling, limits: settings }
  let spent = before
  return Effect.gen(function*() {
    spent = yield* spendingOf(ref, spent)
    return yield* gatherView(ref, spent, knows, yield* Clock.currentTimeMillis)
  })
}

/** Works while a person sees what an agent or a test does. */
export const shown = <A, E, R>(driving: Driving, work: Effect.Effect<A, E, R>) => shownWhile(looking(driving), work)

/** A step whose reviewers are shown below where the driven run stands. */
export const showingReviews = Effect.fn("Showing.showingReviews")(
  function*<A, E, R>(driving: Driving, step: Effect.Effect<A, E, R>) {
    const progress = yield* Progress
    if (!progress.on) return yield* step
    const look = yield* Effect.context<Effect.Services<ReturnType<typeof looking>>>()
    const view = Effect.provide(looking(driving), look)
    return yield* Effect.provideService(step, Progress, {
      ...progress,
      show: (rows) => Effect.flatMap(view, (driven) => progress.show(rows, driven ?? undefined))
    })
  }
)
