// Foresee: what a driver that took the run of a plan now would decide first.
import { decide } from "./Decide.ts"
import type { Decision, View } from "./Decision.ts"
import { evolvePlan, type PlanState } from "./PlanState.ts"
import type { DecideSettings } from "./Settings.ts"

/** The state once a driver has taken the run at `at` (epoch milliseconds). */
export const takenBy = (state: PlanState, driver: string, at: number): PlanState =>
  evolvePlan(state, { _tag: "DriverStarted", driver, pid: 1 }, at)

/** What is decided first. A warning is passed over, since the driver goes on after it at once. */
export const foresee = (
  state: PlanState,
  view: View,
  settings: DecideSettings,
  at: number
): Exclude<Decision, { readonly _tag: "Warn" }> => {
  const decision = decide(state, view, settings)
  if (decision._tag !== "Warn") return decision
  const { budget, limit, used } = decision
  return foresee(evolvePlan(state, { _tag: "BudgetWarned", budget, used, limit }, at), view, settings, at)
}
