// Acceptance: whether the work of a cycle is acceptable, and whether that was said of what there is now.
// The one rule: no task is marked for code that nobody has reviewed, or whose tests were green on something else.
import type { TestState } from "../driven/DrivenState.ts"
import { sameContent } from "../run/Identity.ts"
import type { View } from "./Decision.ts"
import type { AcceptCause } from "./Event.ts"
import { claimed, type CycleState, type PlanState } from "./PlanState.ts"
import type { DecideSettings } from "./Settings.ts"
import { lastWorker } from "./Steps.ts"

/** The runs of the tests after the last agent that may write, and after the agent number `after`. */
export const runsSince = (state: PlanState, cycle: number, after: number): ReadonlyArray<TestState> => {
  const agents = Math.max(after, lastWorker(state, cycle)?.agent ?? 0)
  return state.tests.filter((run) => run.started.round === cycle && run.agents >= agents)
}

type Review = CycleState["reviews"][number]

/** Why the work is acceptable, by its last review and the analysis of it; null where something is to be fixed. */
export const acceptable = ({ analysed }: CycleState, { round, verdict }: Review): AcceptCause | null =>
  verdict === "ACCEPTABLE" ? "Acceptable" : round === 0 && analysed?.needsFixes === false ? "OutOfScope" : null

/** Whether nobody has reviewed what there is now, or the tests were last green on something else. */
export const isStale = (
  state: PlanState,
  { agent, content, cycle }: Review,
  view: View,
  settings: DecideSettings
): boolean => {
  if ((lastWorker(state, cycle)?.agent ?? 0) > agent) return true
  const { standing } =
    runsSince(state, cycle, 0).findLast((run) =>
      run.standing._tag === "Finished" && settings.tests.includes(run.started.command)
    ) ?? { standing: null }
  return sameContent(content, view.content) === "Different" ||
    (standing?._tag === "Finished" && sameContent(standing.finished.content, content) === "Different")
}

/** Whether an agent that may write has worked in a cycle since its last review. */
const isReworked = (state: PlanState, { reviews, started: { cycle } }: CycleState): boolean =>
  (lastWorker(state, cycle)?.agent ?? 0) > (reviews.at(-1)?.agent ?? 0)

/**
 * Whether the plan says already that what was accepted is done: that is to be recorded, whatever the code is now. What
 * the plan says after an agent has worked since may be the agent's own word.
 */
export const isMarked = (state: PlanState, cycle: CycleState, { done }: View): boolean =>
  cycle.marked !== null || (!isReworked(state, cycle) && claimed(cycle).every((index) => done.includes(index)))
