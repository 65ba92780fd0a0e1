// Decide: what the plan driver does next, from the log of its run and what the plan says now.
// Total and pure. A task is marked as done only after its round was accepted.
import { sameContent } from "../../run/Identity.ts"
import {
  allowed,
  baseline,
  budgeted,
  closedBy,
  committing,
  type CommonDecision,
  type CommonEnd,
  type CommonView,
  ending,
  firstOfAll,
  isProtected,
  leftRed,
  protectedEnd,
  rejected,
  tested,
  worked
} from "../Decide.ts"
import type { PersonAnswer, TestState } from "../State.ts"
import { fixesOf, gapsUpTo, lastAgent, lastWorker, type WorkTask } from "../Tasks.ts"
import type { AcceptCause, CycleCause, NamedTask, PlanEventOf } from "./Event.ts"
import type { DecideSettings } from "./Settings.ts"
import { claimed, evolvePlan, type PlanState, type RoundState } from "./State.ts"

/** What is decided from beside the log. */
export interface View extends CommonView {
  /** The tasks that a round would be about: pending, wanted, and waiting for nothing but each other. */
  readonly inPlay: ReadonlyArray<NamedTask>
  /** The tasks that the plan's file says are done. */
  readonly done: ReadonlyArray<number>
  /** Whether the plan's file is as the last round has written it. */
  readonly isWritten: boolean
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

/** What the driver does next. A fix is known by its number; the review number 0 is the one before any fix. */
export type Decision =
  | CommonDecision<End, WorkTask>
  /** `claimed`: the tasks whose work is there already, because a person has fixed what an earlier round left. */
  | {
    readonly _tag: "StartRound"
    readonly round: number
    readonly tasks: ReadonlyArray<NamedTask>
    readonly claimed: ReadonlyArray<number>
  }
  /** `after`: reviewers up to this number saw other code than there is now. */
  | { readonly _tag: "Review"; readonly round: number; readonly fix: number; readonly after: number }
  | { readonly _tag: "Analyse"; readonly round: number }
  | { readonly _tag: "Accept"; readonly round: number; readonly because: AcceptCause }
  | { readonly _tag: "Mark"; readonly round: number; readonly tasks: ReadonlyArray<number> }
  | { readonly _tag: "WriteUnresolved"; readonly round: number }
  | { readonly _tag: "Close"; readonly round: number; readonly because: CycleCause }
  | { readonly _tag: "Converge" }

// Whether the work of a round is acceptable, and whether the present code was reviewed.
// No task is marked for code that was not reviewed, or whose tests were green on something else.

/** The runs of the tests after the last agent that may write, and after the agent number `after`. */
export const runsSince = (state: PlanState, round: number, after: number): ReadonlyArray<TestState> => {
  const agents = Math.max(after, lastWorker(state, round)?.agent ?? 0)
  return state.tests.filter((run) => run.started.round === round && run.agents >= agents)
}

type Review = RoundState["reviews"][number]

/** Why the work is acceptable, by its last review and the analysis of it; null where something is to be fixed. */
export const acceptable = ({ analysed }: RoundState, { round, verdict }: Review): AcceptCause | null =>
  verdict === "ACCEPTABLE" ? "Acceptable" : round === 0 && analysed?.needsFixes === false ? "OutOfScope" : null

/** Whether the code was changed since a review of it, or the tests were last green on something else. */
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

/** Whether the tasks of an accepted round are marked: this is recorded, even if the code has changed since. */
export const isMarked = (round: RoundState, { done, isWritten }: View): boolean =>
  round.marked !== null || isWritten && claimed(round).every((index) => done.includes(index))

// What comes next in a round: implement, test, review, fix, and what was accepted is marked.

// How often an implementer is asked again that names no task as done, or has changed nothing.
const mostClaims = 3

// How often the same work is reviewed, where the code is changed meanwhile.
const mostReviews = 3

/** The last agent of a task whose answer named gaps or claimed nothing: the next one is asked after it. */
export const askedUpTo = (state: PlanState, { answered, round }: RoundState, task: WorkTask): number => {
  const empty = answered.findLast(({ problems, tasks }) => tasks.length === 0 && problems.length > 0)?.agent ?? 0
  return Math.max(gapsUpTo(state, round, task), task === "implement" ? empty : 0)
}

/** Whether the implementer was asked as often as it may be, and named no task as done. */
const isFruitless = (round: RoundState): boolean => claimed(round).length === 0 && round.answered.length >= mostClaims

/** Implementing: null when the implementer has named tasks as done. */
const implemented = (state: PlanState, round: RoundState, settings: DecideSettings): Decision | null => {
  if (claimed(round).length > 0) return null
  const work = worked(state, round, settings, "implement")
  if ("_tag" in work) return work
  const { round: number } = round
  if (!isFruitless(round)) return { _tag: "Ask", round: number, task: "implement" }
  const problems = round.answered.at(-1)?.problems ?? []
  return rejected(state, settings, number, { _tag: "NothingDone", round: number, problems })
}

/** What a review that asks for fixes leads to. */
const toFix = (one: RoundState, fix: number, settings: DecideSettings): Decision | number => {
  const { analysed, reviews, round, unresolved } = one
  const last = reviews.at(-1)
  if (fix === 0 && analysed === null) return { _tag: "Analyse", round }
  const before = reviews.filter((one) => one.round < fix && one.verdict !== "ACCEPTABLE")
  if (last !== undefined && before.some(({ content }) => sameContent(content, last.content) === "Same")) {
    return { _tag: "Close", round, because: "Circle" }
  }
  if (fix < settings.rounds) return fix + 1
  return unresolved === null ? { _tag: "WriteUnresolved", round } : { _tag: "Close", round, because: "Limit" }
}

/** What comes next once the work of a round is acceptable. */
const accepted = (
  state: PlanState,
  one: RoundState,
  { driver }: View,
  settings: DecideSettings,
  because: AcceptCause
): Decision => {
  const { round } = one
  if (one.accepted === null) return { _tag: "Accept", round, because }
  if (one.marked === null) return { _tag: "Mark", round, tasks: claimed(one) }
  const next = committing(state, one, settings, driver, () => true)
  return next === null || next === "Refused" ? { _tag: "Close", round, because: "Marked" } : next
}

/** What comes next in an open round. */
export const inRound = (state: PlanState, round: RoundState, view: View, asked: DecideSettings): Decision => {
  const { round: number } = round
  // A fix that was begun is followed to its review, whatever a later call allows.
  const settings = { ...asked, rounds: Math.max(asked.rounds, fixesOf(state, number)) }
  if (isProtected(round)) return { _tag: "Close", round: number, because: "Protected" }
  if (round.accepted !== null && isMarked(round, view)) {
    return accepted(state, round, view, settings, round.accepted.because)
  }
  const implementing = implemented(state, round, settings)
  if (implementing !== null) return implementing
  const tasks: ReadonlyArray<WorkTask> = [
    "test",
    ...Array.from({ length: settings.rounds }, (_, i): WorkTask => `fix-${i + 1}`)
  ]
  for (const [fix, task] of tasks.entries()) {
    const made = round.reviews.filter((one) => one.round === fix)
    const review = made.at(-1)
    const because = review === undefined ? null : acceptable(round, review)
    if (review !== undefined && because !== null && !isStale(state, review, view, settings)) {
      return accepted(state, round, view, settings, because)
    }
    if (review === undefined || because !== null) {
      if (made.length >= mostReviews) return { _tag: "Close", round: number, because: "Moved" }
      const limit = lastAgent(state, number, task) === null
        ? budgeted(state, view.used, settings, "AddressBatch")
        : null
      if (limit !== null) return limit
      const work = worked(state, round, settings, task)
      if ("_tag" in work) return work
      const after = review?.agent ?? 0
      const next = tested(state, round, settings, runsSince(state, number, after), task)
      if (next === "Over") return { _tag: "Close", round: number, because: "TestsRed" }
      return next === "Green" ? { _tag: "Review", round: number, fix, after } : next
    }
    const next = toFix({ ...round, reviews: round.reviews.filter((one) => one.round <= fix) }, fix, settings)
    if (typeof next !== "number") return next
  }
  return { _tag: "Close", round: number, because: "Limit" }
}

// What comes next between rounds.

/** Why a round that this driver itself has closed ends its call: only a person can go on. */
const failedNow = (state: PlanState, { driver }: View): Decision | null => {
  const last = closedBy(state.rounds, driver)
  if (last === null) return null
  const { round } = last
  switch (last.closed?.because) {
    case "Limit":
      return ending({ _tag: "Limit", round })
    case "Circle":
      return ending({ _tag: "Circle", content: last.reviews.at(-1)?.content ?? last.started.content })
    case "Moved":
      return ending({ _tag: "Moved", round })
    case "PlanChanged":
      return ending({ _tag: "PlanChanged", round })
    case "Protected":
      return protectedEnd(last)
    case "TestsRed":
      return leftRed(state, last)
    case "Rejected":
      // A person allows going on after a rejected result, and not again and again in one call.
      return state.rounds.filter((one) => one.closed?.because === "Rejected" && one.closedBy === driver).length < 2
        ? null
        : ending({ _tag: "Rejected", agent: lastWorker(state, round)?.agent ?? 0 })
    default:
      return null
  }
}

/** What comes next where no round is open. */
const between = (state: PlanState, view: View, settings: DecideSettings): Decision => {
  const last = state.rounds.at(-1)
  if (view.inPlay.length === 0) {
    // The agent may have marked the tasks itself: then only a person who looked at that says that they are done.
    if (state.isFixed && last?.closed?.because === "Protected") return protectedEnd(last)
    return settings.then === null ? ending({ _tag: "Done" }) : { _tag: "Converge" }
  }
  const limit = budgeted(state, view.used, settings, "AddressBatch")
  if (limit !== null) return limit
  // Tasks are known by their index, so a plan that was reordered since then has others there.
  const fixed = state.isFixed && last !== undefined
    ? last.started.tasks.filter(({ index }) => claimed(last).includes(index))
    : []
  return baseline(state, settings, view.driver) ?? {
    _tag: "StartRound",
    round: state.rounds.length + 1,
    tasks: view.inPlay,
    claimed: fixed.flatMap(({ index, title }) =>
      view.inPlay.some((task) => task.index === index && task.title === title) ? [index] : []
    )
  }
}

/** Whether the plan already says that tasks of a round are done, which nothing has accepted. */
const isSelfMarked = (round: RoundState, { done }: Pick<View, "done">): boolean =>
  round.accepted === null && round.started.tasks.some(({ index }) => done.includes(index))

/** A decision that leaves a round, or closes it if the plan was changed meanwhile: then a person looks at that first. */
const unlessChanged = (decision: Decision, round: RoundState, view: View): Decision => {
  const isLeft = decision._tag === "End"
    ? decision.end._tag === "Rejected" || decision.end._tag === "NothingDone"
    : decision._tag === "Close" && decision.because === "Rejected"
  return isLeft && isSelfMarked(round, view)
    ? { _tag: "Close", round: round.round, because: "PlanChanged" }
    : decision
}

/** Whether no agent can go on in an open round. */
const isBlocked = (state: PlanState, round: RoundState): boolean =>
  isFruitless(round) || lastWorker(state, round.round)?.judged?.action === "block"

/** How the end of an earlier driver is taken. What a person need not fix goes on, whatever the code is now. */
const askedBefore = (state: PlanState, settings: DecideSettings) => {
  const last = state.rounds.at(-1)
  const because = last?.closed?.because
  const isRejected = because === "Rejected" || last?.closed === null && isBlocked(state, last)
  const isLasting = because === "TestsRed" || because === "Protected" ||
    isRejected && !allowed(state, settings.allow, "rejected-result")
  return { isLasting, isFixable: isLasting || because === "Limit" || because === "Circle" }
}

/** What is recorded of a person's answer: an open round is over if no agent can go on in it, or its work is gone. */
export const answerEvents = (
  state: PlanState,
  answer: PersonAnswer,
  view: Pick<View, "content" | "done">
): ReadonlyArray<PlanEventOf<"PersonAnswered" | "CycleClosed">> => {
  const last = state.rounds.at(-1)
  const isOver = last?.closed === null && answer !== "Unchanged" && (answer === "Undone" || isBlocked(state, last)) &&
    !isSelfMarked(last, view)
  return [
    ...(isOver ? [{ _tag: "CycleClosed", cycle: last.round, because: "Rejected" } as const] : []),
    { _tag: "PersonAnswered", answer, content: view.content }
  ]
}

/** Decides what the driver does next. */
export const decide = (state: PlanState, view: View, settings: DecideSettings): Decision => {
  const first = firstOfAll(state, view, settings, failedNow(state, view), askedBefore(state, settings))
  if (first !== null) return first
  const last = state.rounds.at(-1)
  return last !== undefined && last.closed === null
    ? unlessChanged(inRound(state, last, view, settings), last, view)
    : between(state, view, settings)
}

// What a driver that took the run of a plan now would decide first.

/** What is decided first. Warnings and a person's answer are skipped, since the driver goes on after them at once. */
export const foresee = (
  state: PlanState,
  view: View,
  settings: DecideSettings,
  at: number
): Exclude<Decision, { readonly _tag: "TakeAnswer" | "Warn" }> => {
  const decision = decide(state, view, settings)
  if (decision._tag !== "Warn" && decision._tag !== "TakeAnswer") return decision
  const events = decision._tag === "Warn"
    ? [{ ...decision, _tag: "BudgetWarned" } as const]
    : answerEvents(state, decision.answer, view)
  return foresee(events.reduce((now, event) => evolvePlan(now, event, at), state), view, settings, at)
}
