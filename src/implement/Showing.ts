// Showing: how a person who watches sees a plan that is worked through.
import { Clock, Effect } from "effect"
import { planRun, type PlanState } from "../core/implement/PlanRun.ts"
import { decideSettings } from "../core/implement/Settings.ts"
import { shownWhile } from "../driving/Showing.ts"
import { type DriverSeen, driverSeen } from "../runs/DriverSeen.ts"
import { gatherPlanView } from "../runs/GatherView.ts"
import { planNow, type Working } from "./Working.ts"

/** How many tasks are not done; null where the plan cannot be read now. */
const pendingNow = (working: Working) =>
  Effect.orElseSucceed(
    Effect.map(planNow(working), ({ plan }): number | null => plan.tasks.filter(({ done }) => !done).length),
    () => null
  )

/** Looks at a run; each look reads on from where the one before ended. Only between two works is a task marked. */
const looking = (working: Working) => {
  const { asked, run: { ref } } = working
  let seen: DriverSeen<PlanState> | null = null
  let pending: number | null = null
  return Effect.gen(function*() {
    seen = yield* driverSeen(planRun, ref, seen)
    pending ??= yield* pendingNow(working)
    const knows = { pending, limits: decideSettings(asked) }
    return yield* gatherPlanView(ref, seen, knows, yield* Clock.currentTimeMillis)
  })
}

/** Works while a person sees what an agent or a test does. */
export const shown = <A, E, R>(working: Working, work: Effect.Effect<A, E, R>) => shownWhile(looking(working), work)
