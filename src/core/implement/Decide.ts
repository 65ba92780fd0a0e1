// Decide: what the driver of a plan does next, from the log of its run and what the plan says now.
// The one rule: total and pure. A task is marked as done only after its cycle was accepted.
import { outside } from "../driven/Outside.ts"
import { budgeted, inCycle } from "./DecideCycle.ts"
import { type Decision, ending, type View } from "./Decision.ts"
import type { CycleState, PlanState } from "./PlanState.ts"
import type { DecideSettings } from "./Settings.ts"
import { lastWorker } from "./Steps.ts"

const lastCycle = ({ cycles }: PlanState): CycleState | null => cycles.at(-1) ?? null

/** Why a cycle that this driver itself has closed ends its call: only a person can go on. */
const failedNow = (state: PlanState, { driver }: View): Decision | null => {
  const last = lastCycle(state)
  if (last === null || last.closed === null || last.closedBy !== driver) return null
  const { cycle } = last.started
  switch (last.closed.because) {
    case "Marked":
      return null
    case "Limit":
      return ending({ _tag: "Limit", cycle })
    case "Circle":
      return ending({ _tag: "Circle", content: last.reviews.at(-1)?.content ?? last.started.content })
    case "Moved":
      return ending({ _tag: "Moved", cycle })
    case "PlanChanged":
      return ending({ _tag: "PlanChanged", cycle })
    case "Protected":
      return ending({ _tag: "Protected", cycle, files: last.taken.at(-1)?.protectedFiles ?? [] })
    case "Rejected":
      // A person allows going on after a rejected result, and not again and again in one call.
      return state.cycles.filter(({ closed, closedBy }) => closed?.because === "Rejected" && closedBy === driver)
          .length < 2
        ? null
        : ending({ _tag: "Rejected", agent: lastWorker(state, cycle)?.agent ?? 0 })
    case "TestsRed": {
      const test = state.tests.findLast(({ started }) => started.round === cycle)
      return ending({
        _tag: "TestsRed",
        cycle,
        test: test?.started.test ?? null,
        command: test?.started.command ?? ""
      })
    }
  }
}

/** What comes next where no cycle is open. */
const between = (state: PlanState, view: View, settings: DecideSettings): Decision => {
  if (view.inPlay.length === 0) return settings.then === null ? ending({ _tag: "Done" }) : { _tag: "Converge" }
  const against = budgeted(state, view, settings)
  if (against !== null) return against
  // Tests run before the first agent of all: they show what was red before anybody changed anything.
  const baseline = state.agents.agents.length > 0 ? null : outside(state, settings, view.driver)
  if (baseline === null) return { _tag: "StartCycle", cycle: state.cycles.length + 1, tasks: view.inPlay }
  const { command } = baseline
  return baseline._tag === "Red"
    ? ending({ _tag: "RedBaseline", test: baseline.test, command })
    : { _tag: "Test", cycle: 0, command, running: baseline.running }
}

/** Decides what the driver does next. */
export const decide = (state: PlanState, view: View, settings: DecideSettings): Decision => {
  if (state.stopAsked) return ending({ _tag: "StopAsked" })
  const failed = failedNow(state, view)
  if (failed !== null) return failed
  const last = lastCycle(state)
  if (last !== null && last.closed === null) return inCycle(state, last, view, settings)
  return between(state, view, settings)
}
