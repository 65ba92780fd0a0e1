// Decide: what the plan driver does next.
import type { AgentState } from "../../agent/State.ts"
import { type Identity, sameContent } from "../../run/Identity.ts"
import type { Used } from "../Budgets.ts"
import {
  budgeted,
  type CommonDecision,
  type CommonEnd,
  commitRed,
  ending,
  nextTest,
  outsideTurn,
  redTurn,
  testsRed
} from "../Decide.ts"
import type { TestState } from "../State.ts"
import { allowed, outside, suite } from "../Tests.ts"
import type { AcceptCause, CycleCause, NamedTask } from "./Event.ts"
import type { DecideSettings } from "./Settings.ts"
import { claimed, type CycleState, evolvePlan, type PlanState } from "./State.ts"
import { fixesOf, lastOfStep, lastWorker, mendsOf, mendsSince, stepIdOf, type WorkStep } from "./Steps.ts"

// What the driver of a plan decides from beside its log, and what it can decide.

/** What is decided from beside the log. */
export interface View {
  /** The tasks that a cycle would be about: pending, wanted, and waiting for nothing but each other. */
  readonly inPlay: ReadonlyArray<NamedTask>
  /** The tasks that the plan's file says are done. */
  readonly done: ReadonlyArray<number>
  /** What the worktree holds now. */
  readonly content: Identity
  readonly used: Used
  /** The driver that asks. */
  readonly driver: string
}

/** Why the driver ends. */
export type End =
  | CommonEnd
  | { readonly _tag: "Done" }
  | { readonly _tag: "Limit"; readonly round: number }
  /** The implementer named no task as done, again and again. */
  | { readonly _tag: "NothingDone"; readonly round: number; readonly problems: ReadonlyArray<string> }
  | { readonly _tag: "PlanChanged"; readonly round: number }
  | { readonly _tag: "Moved"; readonly round: number }

/** What the driver does next. */
export type Decision =
  | CommonDecision<End>
  | { readonly _tag: "StartRound"; readonly round: number; readonly tasks: ReadonlyArray<NamedTask> }
  /** `after`: agents up to this number have answered the same question before. */
  | { readonly _tag: "Ask"; readonly round: number; readonly task: WorkStep; readonly after: number }
  /** `after`: reviewers up to this number saw other code than there is now. */
  | { readonly _tag: "Review"; readonly round: number; readonly fix: number; readonly after: number }
  | { readonly _tag: "Analyse"; readonly round: number }
  | { readonly _tag: "Accept"; readonly round: number; readonly because: AcceptCause }
  | { readonly _tag: "Mark"; readonly round: number; readonly tasks: ReadonlyArray<number> }
  | { readonly _tag: "WriteUnresolved"; readonly round: number }
  | { readonly _tag: "Close"; readonly round: number; readonly because: CycleCause }
  | { readonly _tag: "Converge" }

// Whether the work of a cycle is acceptable, and whether that was said of what there is now.
// No task is marked for code that nobody has reviewed, or whose tests were green on something else.

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

// What comes next in a cycle: implement, test, review, fix, and what was accepted is marked.

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
  const asking: Decision = { _tag: "Ask", round: number, task: step, after: askedUpTo(state, cycle, step) }
  if (last === null) return asking
  if (last.judged?.action === "block") {
    return allowed(state, settings.allow, "rejected-result")
      ? { _tag: "Close", round: number, because: "Rejected" }
      : ending({ _tag: "Rejected", agent: last.agent })
  }
  if (last.judged?.action !== "accept") return asking
  const taken = cycle.taken.some(({ agent }) => agent === last.agent)
  return taken ? last : { _tag: "Answer", round: number, agent: last.agent }
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
  if (stands._tag !== "Red") return nextTest(number, stands)
  const fixes = mendsSince(state, number, sinceOf(state, number, first))
  const next = redTurn({ round: number, fixes, restored: cycle.restored !== null }, settings)
  if (next === "Over") return { _tag: "Close", round: number, because: "TestsRed" }
  if (next !== "Fix") return next
  return { _tag: "Ask", round: number, task: { _tag: "Mend", mend: mendsOf(state, number) + 1 }, after: 0 }
}

/** Implementing: done when the implementer has named tasks as done. */
const implemented = (state: PlanState, cycle: CycleState, settings: DecideSettings): Decision | null => {
  if (claimed(cycle).length > 0) return null
  const implement: WorkStep = { _tag: "Implement" }
  const work = worked(state, cycle, settings, implement)
  if ("_tag" in work) return work
  const problems = cycle.taken.at(-1)?.problems ?? []
  const { cycle: number } = cycle.started
  if (cycle.taken.length < mostClaims) return { _tag: "Ask", round: number, task: implement, after: work.agent }
  return allowed(state, settings.allow, "rejected-result")
    ? { _tag: "Close", round: number, because: "Rejected" }
    : ending({ _tag: "NothingDone", round: number, problems })
}

/** What a review that asks for fixes leads to. */
const toFix = (cycle: CycleState, round: number, settings: DecideSettings): Decision | number => {
  const { analysed, reviews, started: { cycle: number }, unresolved } = cycle
  const last = reviews.at(-1)
  if (round === 0 && analysed === null) return { _tag: "Analyse", round: number }
  const before = reviews.filter((one) => one.round < round && one.verdict !== "ACCEPTABLE")
  if (last !== undefined && before.some(({ content }) => sameContent(content, last.content) === "Same")) {
    return { _tag: "Close", round: number, because: "Circle" }
  }
  if (round < settings.rounds) return round + 1
  return unresolved === null
    ? { _tag: "WriteUnresolved", round: number }
    : { _tag: "Close", round: number, because: "Limit" }
}

/** What comes next once the work of a cycle is acceptable. */
const accepted = (
  state: PlanState,
  cycle: CycleState,
  view: View,
  settings: DecideSettings,
  because: AcceptCause
): Decision => {
  const { accepted, commit, marked, refusedTo, started: { cycle: number } } = cycle
  if (accepted === null) return { _tag: "Accept", round: number, because }
  if (marked === null) return { _tag: "Mark", round: number, tasks: claimed(cycle) }
  if (settings.commitFixes === null || commit !== null) return { _tag: "Close", round: number, because: "Marked" }
  // A call that git refused ends; the next one tries again.
  return refusedTo === view.driver
    ? commitRed(number)
    : { _tag: "Commit", round: number, agent: lastWorker(state, number)?.agent ?? 1 }
}

/** What comes next in a cycle that is open. */
export const inCycle = (state: PlanState, cycle: CycleState, view: View, asked: DecideSettings): Decision => {
  const { cycle: number } = cycle.started
  // A fix that was begun is followed to its review, whatever a later call allows.
  const settings = { ...asked, rounds: Math.max(asked.rounds, fixesOf(state, number)) }
  if (cycle.taken.some(({ protectedFiles }) => protectedFiles.length > 0)) {
    return { _tag: "Close", round: number, because: "Protected" }
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
      if (made.length >= mostReviews) return { _tag: "Close", round: number, because: "Moved" }
      const against = lastOfStep(state, number, step) === null
        ? budgeted(state, view.used, settings, "AddressBatch")
        : null
      if (against !== null) return against
      const work = worked(state, cycle, settings, step)
      if ("_tag" in work) return work
      const after = review?.agent ?? 0
      return tested(state, cycle, settings, step, after) ?? { _tag: "Review", round: number, fix: round, after }
    }
    const next = toFix({ ...cycle, reviews: cycle.reviews.filter((one) => one.round <= round) }, round, settings)
    if (typeof next !== "number") return next
  }
  return { _tag: "Close", round: number, because: "Limit" }
}

// What the driver of a plan does next, from the log of its run and what the plan says now.
// Total and pure. A task is marked as done only after its cycle was accepted.

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
      return ending({ _tag: "Limit", round: cycle })
    case "Circle":
      return ending({ _tag: "Circle", content: last.reviews.at(-1)?.content ?? last.started.content })
    case "Moved":
      return ending({ _tag: "Moved", round: cycle })
    case "PlanChanged":
      return ending({ _tag: "PlanChanged", round: cycle })
    case "Protected":
      return ending({ _tag: "Protected", round: cycle, files: last.taken.at(-1)?.protectedFiles ?? [] })
    case "Rejected":
      // A person allows going on after a rejected result, and not again and again in one call.
      return state.cycles.filter(({ closed, closedBy }) => closed?.because === "Rejected" && closedBy === driver)
          .length < 2
        ? null
        : ending({ _tag: "Rejected", agent: lastWorker(state, cycle)?.agent ?? 0 })
    case "TestsRed":
      return testsRed(state, cycle)
  }
}

/** What comes next where no cycle is open. */
const between = (state: PlanState, view: View, settings: DecideSettings): Decision => {
  if (view.inPlay.length === 0) return settings.then === null ? ending({ _tag: "Done" }) : { _tag: "Converge" }
  const against = budgeted(state, view.used, settings, "AddressBatch")
  if (against !== null) return against
  // Tests run before the first agent of all: they show what was red before anybody changed anything.
  const baseline = state.agents.agents.length > 0 ? null : outsideTurn(outside(state, settings, view.driver))
  return baseline ?? { _tag: "StartRound", round: state.cycles.length + 1, tasks: view.inPlay }
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

// What a driver that took the run of a plan now would decide first.

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
