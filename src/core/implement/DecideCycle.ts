// DecideCycle: what comes next in a cycle: implement, test, review, fix, and what was accepted is marked.
import type { AgentState } from "../agent/AgentsState.ts"
import { halted } from "../driven/Budgets.ts"
import { allowed } from "../driven/Outside.ts"
import { suite } from "../driven/Suite.ts"
import { sameContent } from "../run/Identity.ts"
import { acceptable, isMarked, isStale, runsSince } from "./Acceptance.ts"
import { type Decision, ending, type View } from "./Decision.ts"
import type { AcceptCause } from "./Event.ts"
import { claimed, type CycleState, type PlanState } from "./PlanState.ts"
import type { DecideSettings } from "./Settings.ts"
import { fixesOf, lastOfStep, lastWorker, mendsOf, mendsSince, stepIdOf, type WorkStep } from "./Steps.ts"

// How often an implementer is asked that names no task as done, or has changed nothing.
const mostClaims = 3

// How often the work of one round is reviewed, where the code is changed meanwhile.
const mostReviews = 3

/** The last agent of the work so far that is no mending; it decides from where red tests are counted. */
const sinceOf = (state: PlanState, cycle: number, step: WorkStep): number => lastOfStep(state, cycle, step)?.agent ?? 0

/** The step that a cycle's last worker was asked, where it was to mend red tests. */
const present = (state: PlanState, cycle: number, step: WorkStep): WorkStep => {
  const last = lastWorker(state, cycle)
  const mend = mendsOf(state, cycle)
  const mending: WorkStep = { _tag: "Mend", mend }
  return mend > 0 && last?.started.taskId === stepIdOf(cycle, mending) ? mending : step
}

/** Up to which agent a step's answers named gaps, or came to nothing: whoever asks again asks after it. */
const askedUpTo = (state: PlanState, cycle: CycleState, step: WorkStep): number => {
  const { cycle: number } = cycle.started
  const id = stepIdOf(number, step)
  const gaps =
    state.agents.agents.findLast(({ judged, started }) => started.taskId === id && judged?.action === "remediate")
      ?.agent ?? 0
  const empty = step._tag === "Implement"
    ? cycle.taken.findLast(({ problems, tasks }) => tasks.length === 0 && problems.length > 0)?.agent ?? 0
    : 0
  return Math.max(gaps, empty)
}

/** The work of one step: asked until it is accepted and taken, then held against what may not be changed. */
const worked = (
  state: PlanState,
  cycle: CycleState,
  settings: DecideSettings,
  first: WorkStep
): Decision | AgentState => {
  const { cycle: number } = cycle.started
  const begun = lastOfStep(state, number, first)
  const step = begun === null ? first : present(state, number, first)
  const last = lastOfStep(state, number, step)
  const asking: Decision = { _tag: "Work", cycle: number, step, after: askedUpTo(state, cycle, step) }
  if (last === null) return asking
  if (last.judged?.action === "block") {
    return allowed(state, settings.allow, "rejected-result")
      ? { _tag: "Close", cycle: number, because: "Rejected" }
      : ending({ _tag: "Rejected", agent: last.agent })
  }
  if (last.judged?.action !== "accept") return asking
  const taken = cycle.taken.some(({ agent }) => agent === last.agent)
  return taken ? last : { _tag: "Take", cycle: number, step, agent: last.agent }
}

/** The tests of what a step left, and of what was there after the agent number `after`: null once they are green. */
const tested = (
  state: PlanState,
  cycle: CycleState,
  settings: DecideSettings,
  first: WorkStep,
  after: number
): Decision | null => {
  const { cycle: number } = cycle.started
  const stands = suite(settings.tests, runsSince(state, number, after))
  if (stands._tag === "Green") return null
  if (stands._tag === "Next") {
    const { command, running } = stands
    return { _tag: "Test", cycle: number, command, running: running?.started.test ?? null }
  }
  if (mendsSince(state, number, sinceOf(state, number, first)) < settings.fixAttempts) {
    return { _tag: "Work", cycle: number, step: { _tag: "Mend", mend: mendsOf(state, number) + 1 }, after: 0 }
  }
  return settings.undoOnRed && cycle.restored === null
    ? { _tag: "Restore", cycle: number }
    : { _tag: "Close", cycle: number, because: "TestsRed" }
}

/** Implementing: done when the implementer has named tasks as done. */
const implemented = (state: PlanState, cycle: CycleState, settings: DecideSettings): Decision | null => {
  if (claimed(cycle).length > 0) return null
  const implement: WorkStep = { _tag: "Implement" }
  const work = worked(state, cycle, settings, implement)
  if ("_tag" in work) return work
  const problems = cycle.taken.at(-1)?.problems ?? []
  const { cycle: number } = cycle.started
  if (cycle.taken.length < mostClaims) return { _tag: "Work", cycle: number, step: implement, after: work.agent }
  return allowed(state, settings.allow, "rejected-result")
    ? { _tag: "Close", cycle: number, because: "Rejected" }
    : ending({ _tag: "NothingDone", cycle: number, problems })
}

/** What a review that asks for fixes leads to. */
const toFix = (cycle: CycleState, round: number, settings: DecideSettings): Decision | number => {
  const { analysed, reviews, started: { cycle: number }, unresolved } = cycle
  const last = reviews.at(-1)
  if (round === 0 && analysed === null) return { _tag: "Analyse", cycle: number }
  const before = reviews.filter((one) => one.round < round && one.verdict !== "ACCEPTABLE")
  if (last !== undefined && before.some(({ content }) => sameContent(content, last.content) === "Same")) {
    return { _tag: "Close", cycle: number, because: "Circle" }
  }
  if (round < settings.rounds) return round + 1
  return unresolved === null
    ? { _tag: "WriteUnresolved", cycle: number }
    : { _tag: "Close", cycle: number, because: "Limit" }
}

/** What comes next once the work of a cycle is acceptable. */
const accepted = (
  state: PlanState,
  cycle: CycleState,
  view: View,
  settings: DecideSettings,
  because: AcceptCause
): Decision => {
  const { accepted, committed, marked, refusedTo, started: { cycle: number } } = cycle
  if (accepted === null) return { _tag: "Accept", cycle: number, because }
  if (marked === null) return { _tag: "Mark", cycle: number, tasks: claimed(cycle) }
  if (settings.commitFixes === null || committed) return { _tag: "Close", cycle: number, because: "Marked" }
  // A call that git refused ends; the next one tries again.
  return refusedTo === view.driver
    ? ending({ _tag: "TestsRed", cycle: number, test: null, command: "git commit" })
    : { _tag: "Commit", cycle: number, agent: lastWorker(state, number)?.agent ?? 1 }
}

/** What stands against further work. */
export const budgeted = (state: PlanState, { used }: View, settings: DecideSettings): Decision | null => {
  const standing = halted(state, used, settings)
  return standing?._tag === "Exhausted" ? ending({ _tag: "Budget", budget: standing.budget }) : standing
}

/** What comes next in a cycle that is open. */
export const inCycle = (state: PlanState, cycle: CycleState, view: View, asked: DecideSettings): Decision => {
  const { cycle: number } = cycle.started
  // A fix that was begun is followed to its review, whatever a later call allows.
  const settings = { ...asked, rounds: Math.max(asked.rounds, fixesOf(state, number)) }
  if (cycle.taken.some(({ protectedFiles }) => protectedFiles.length > 0)) {
    return { _tag: "Close", cycle: number, because: "Protected" }
  }
  if (cycle.accepted !== null && isMarked(state, cycle, view)) {
    return accepted(state, cycle, view, settings, cycle.accepted.because)
  }
  const done = implemented(state, cycle, settings)
  if (done !== null) return done
  const steps: ReadonlyArray<WorkStep> = [
    { _tag: "Test" },
    ...Array.from({ length: settings.rounds }, (_, i): WorkStep => ({ _tag: "Fix", round: i + 1 }))
  ]
  for (const [round, step] of steps.entries()) {
    const made = cycle.reviews.filter((one) => one.round === round)
    const review = made.at(-1)
    const because = review === undefined ? null : acceptable(cycle, review)
    if (review !== undefined && because !== null && !isStale(state, review, view, settings)) {
      return accepted(state, cycle, view, settings, because)
    }
    if (review === undefined || because !== null) {
      if (made.length >= mostReviews) return { _tag: "Close", cycle: number, because: "Moved" }
      const against = lastOfStep(state, number, step) === null ? budgeted(state, view, settings) : null
      if (against !== null) return against
      const work = worked(state, cycle, settings, step)
      if ("_tag" in work) return work
      const after = review?.agent ?? 0
      return tested(state, cycle, settings, step, after) ?? { _tag: "Review", cycle: number, round, after }
    }
    const next = toFix({ ...cycle, reviews: cycle.reviews.filter((one) => one.round <= round) }, round, settings)
    if (typeof next !== "number") return next
  }
  return { _tag: "Close", cycle: number, because: "Limit" }
}
