// Showing: how a person who watches sees a plan that is worked through.
import { Clock, Effect } from "effect"
import { planRun, type PlanState } from "../core/implement/PlanRun.ts"
import { decideSettings } from "../core/implement/Settings.ts"
import { shownWhile } from "../driving/Showing.ts"
import { type DriverSeen, driverSeen } from "../runs/DriverSeen.ts"
import { gatherPlanView } from "../runs/GatherView.ts"
import type { Working } from "./Working.ts"

/** Looks at a run; each look reads on from where the one before ended. */
const looking = ({ asked, run: { ref } }: Working) => {
  let seen: DriverSeen<PlanState> | null = null
  return Effect.gen(function*() {
    seen = yield* driverSeen(planRun, ref, seen)
    return yield* gatherPlanView(ref, seen, decideSettings(asked), yield* Clock.currentTimeMillis)
  })
}

/** Works while a person sees what an agent or a test does. */
export const shown = <A, E, R>(working: Working, work: Effect.Effect<A, E, R>) => shownWhile(looking(working), work)
