// Decide: what the converge driver does next.
import type { Identity } from "../../run/Identity.ts"
import type { Level } from "../../run/Level.ts"
import { exhausted } from "../Budgets.ts"
import {
  baseline,
  budgeted,
  closedBy,
  committing,
  type CommonDecision,
  type CommonEnd,
  type CommonSettings,
  type CommonView,
  ending,
  firstOfAll,
  isProtected,
  leftRed,
  outside,
  protectedEnd,
  redTurn,
  rejected,
  tested,
  testing,
  worked
} from "../Decide.ts"
import { driverOf, type PersonAnswer } from "../State.ts"
import { actionOf } from "../End.ts"
import { type AddressTask, lastAgent } from "../Tasks.ts"
import { changedCode } from "../Tests.ts"
import type { CloseCause, ConvergeEventOf, RoundKind, RoundMark, SkipCause } from "./Event.ts"
import { circle, roundsWithoutProgress } from "./Progress.ts"
import type { ConvergeSettings } from "./Settings.ts"
import type { ConvergeState, RoundState } from "./State.ts"

/** The hand-off of the run's last step: the findings that block, and the digest of what all batches found so far. */
export interface Handoff {
  readonly kind: RoundKind
  readonly level: Level
  readonly batch: number
  readonly findings: ReadonlyArray<string>
  /** Whether any batch of the run ever found something. */
  readonly anyFinding: boolean
  readonly history: string
}

/** What is decided from beside the stream. `handoff` is null before a step was asked for one. */
export interface View extends CommonView {
  readonly handoff: Handoff | null
}

/** Why the driver ends although nothing is proven. */
export type End = CommonEnd | { readonly _tag: "Patience"; readonly rounds: number }

/** What the driver does next. */
export type Decision =
  | CommonDecision<End, AddressTask>
  | { readonly _tag: "Step" }
  /**
   * The hand-off of an open round is taken from the present run, without a step: the round's agent changes the
   * code, which a step would have reviewed. Where the run has left the round's batch, the round is closed.
   */
  | { readonly _tag: "Resume"; readonly round: number }
  | { readonly _tag: "StartRound"; readonly round: number }
  | { readonly _tag: "Skip"; readonly round: number; readonly because: SkipCause }
  | { readonly _tag: "Conclude"; readonly round: number; readonly mark: RoundMark }
  | { readonly _tag: "Mark"; readonly round: number; readonly mark: RoundMark }
  | { readonly _tag: "Close"; readonly round: number; readonly because: CloseCause }

// What comes next in an open round: an agent is asked, tests run, a mark is concluded.

/** The settings that decide. */
export type DecideSettings = CommonSettings & Pick<ConvergeSettings, "maxRounds" | "patience" | "retro">

/** The work of agents that may write, and its tests, until they are green and committed: then `mark` is concluded. */
const workedOn = (
  state: ConvergeState,
  round: RoundState,
  settings: DecideSettings,
  first: AddressTask,
  mark: RoundMark
): Decision => {
  const number = round.round
  const work = worked(state, round, settings, first)
  if ("_tag" in work) return work
  if (isProtected(round)) return { _tag: "Close", round: number, because: "Protected" }
  const runs = state.tests.filter((run) => run.started.round === number && run.agents >= work.agent)
  const green = tested(state, round, settings, runs, first)
  const committed = green === "Green" ? committing(state, round, settings, driverOf(state)) : green
  if (committed === null) return { _tag: "Conclude", round: number, mark }
  const next = committed === "Refused" ? redTurn(state, round, settings, first) : committed
  if (next !== "Over") return next
  return round.started.kind === "AddressBatch"
    ? { _tag: "Conclude", round: number, mark: "AddressFailed" }
    : { _tag: "Close", round: number, because: "TestsRed" }
}

/** What comes next in a round that addresses a batch. */
export const addressed = (state: ConvergeState, round: RoundState, settings: DecideSettings): Decision =>
  workedOn(state, round, settings, "address", "AddressPassed")

/** Whether an agent has looked over the same history before. What it found then was implemented. */
const askedBefore = ({ rounds }: ConvergeState, { round, started }: RoundState): boolean =>
  rounds.some((one) =>
    one.round < round && one.started.kind === "Retrospective" && one.skipped === null &&
    one.concluded !== null && one.started.history === started.history
  )

/** What comes next in a round about a clean level. */
export const lookedOver = (
  state: ConvergeState,
  round: RoundState,
  settings: DecideSettings,
  anyFinding: boolean
): Decision => {
  const number = round.round
  const clean: Decision = { _tag: "Conclude", round: number, mark: "RetroClean" }
  if (round.skipped !== null) return clean
  const retro = lastAgent(state, number, "retrospective")
  if (retro === null) {
    if (settings.retro === "never") return { _tag: "Skip", round: number, because: "Never" }
    if (!anyFinding) return { _tag: "Skip", round: number, because: "NoFindings" }
    if (askedBefore(state, round)) return { _tag: "Skip", round: number, because: "AskedBefore" }
  }
  switch (retro?.judged?.action) {
    case "accept":
      return clean
    case "block":
      return rejected(state, settings, number, { _tag: "Rejected", agent: retro?.agent ?? 0 })
    case "remediate":
      return workedOn(state, round, settings, "patterns", "RetroChanges")
    default:
      return { _tag: "Ask", round: number, task: "retrospective" }
  }
}

// What the driver of a run does next, from its stream and the present hand-off.
// Only the step reports a fixed point; nothing here can turn into one.

/**
 * What to do before a fixed point is reported: the tests must be green on the proven content, which may have changed
 * since they ran. Null if they are green.
 */
export const atFixedPoint = (
  state: ConvergeState,
  { content, driver }: Pick<View, "content" | "driver">,
  settings: DecideSettings
) => {
  const agents = state.agents.agents.length
  const runs = state.tests.filter((run) =>
    run.standing._tag === "Running"
      ? run.started.round === 0
      : changedCode(run)
      ? run.driver === driver && run.agents === agents
      : run.standing._tag === "Finished" &&
        // A red run counts only for the driver that ran it: something outside the worktree may have fixed it since.
        (run.standing.finished.exit === 0 || run.driver === driver)
  )
  return testing(state, settings, runs, content)
}

/** The last round, if an agent was asked to implement patterns in it. */
const implementing = (state: ConvergeState): RoundState | null => {
  const last = state.rounds.at(-1)
  return last === undefined || lastAgent(state, last.round, "patterns") === null ? null : last
}

/** What comes next where no hand-off is known. */
const unasked = (state: ConvergeState, view: View, settings: DecideSettings): Decision => {
  const patterns = implementing(state)
  if (patterns?.closed === null) return { _tag: "Resume", round: patterns.round }
  const left = circle(state, view.content)
  if (left !== null) return ending({ _tag: "Circle", content: left })
  const [budget] = exhausted({ ...view.used, rounds: 0 }, settings)
  if (budget !== undefined) return ending({ _tag: "Budget", budget, action: "RunReviews" })
  // A clean review of patterns that turned the tests red, or whose tests never ran, would hide that.
  const untested = patterns !== null && patterns.closed?.because !== "Marked"
  if (untested) return outside(state, settings, view.driver) ?? { _tag: "Step" }
  // Tests that fail before any agent has worked end the call before a review is paid.
  const first = state.agents.agents.length === 0 ? atFixedPoint(state, view, settings) : null
  return first ?? { _tag: "Step" }
}

/** Why a round that this driver itself has closed ends its call: only a person can go on. */
const failedNow = (state: ConvergeState, { driver }: View): Decision | null => {
  const last = closedBy(state.rounds, driver)
  if (last?.closed?.because === "Protected") return protectedEnd(last)
  const isRed = last?.closed?.because === "TestsRed" ||
    last?.closed?.because === "Marked" && last.concluded?.mark === "AddressFailed"
  return last === null || !isRed ? null : leftRed(state, last)
}

/** Whether the end of an earlier driver stays as it is while the code does. */
const isLasting = ({ asked }: ConvergeState, { allow }: DecideSettings): boolean => {
  if (asked?.end._tag !== "Asked") return false
  switch (actionOf[asked.end.cause._tag]) {
    case "TestsFailedTriage":
      // Git may accept now what it refused then.
      return asked.end.cause._tag !== "CommitRefused"
    case "TaskBlocked":
      return !allow.includes("rejected-result")
    default:
      return false
  }
}

/** What is recorded of a person's answer: an open round is closed, unless nothing has changed. */
export const answerEvents = (
  { rounds }: ConvergeState,
  answer: PersonAnswer,
  content: Identity
): ReadonlyArray<ConvergeEventOf<"PersonAnswered" | "RoundClosed">> => {
  const last = rounds.at(-1)
  const isOver = answer === "Unchanged" || last === undefined || last.closed !== null
  return [
    ...isOver ? [] : [{ _tag: "RoundClosed", round: last.round, because: "AnsweredElsewhere" } as const],
    { _tag: "PersonAnswered", answer, content }
  ]
}

/** The round that a hand-off is answered in, if it was begun. */
const openRound = ({ rounds }: ConvergeState, { batch, kind, level }: Handoff): RoundState | null => {
  const last = rounds.at(-1)
  if (last === undefined || last.closed !== null) return null
  const { started } = last
  return started.kind === kind && started.level === level && started.batch === batch ? last : null
}

/** Decides what the driver does next. */
export const decide = (state: ConvergeState, view: View, settings: DecideSettings): Decision => {
  const asked = { isLasting: isLasting(state, settings), isFixable: true }
  const first = firstOfAll(state, view, settings, failedNow(state, view), asked)
  if (first !== null) return first
  const { handoff } = view
  if (handoff === null) return unasked(state, view, settings)
  const open = openRound(state, handoff)
  const last = state.rounds.at(-1)
  if (open === null) {
    if (last !== undefined && last.closed === null) {
      // A mark that reports red tests leaves the hand-off as it is, so another process moved the run.
      const mark = last.concluded?.mark ?? "AddressFailed"
      const because = mark === "AddressFailed" ? "AnsweredElsewhere" : "Marked"
      return { _tag: "Close", round: last.round, because }
    }
    return { _tag: "StartRound", round: state.rounds.length + 1 }
  }
  const { round } = open
  if (open.concluded !== null) return { _tag: "Mark", round, mark: open.concluded.mark }
  const next = open.started.kind === "AddressBatch"
    ? addressed(state, open, settings)
    : lookedOver(state, open, settings, handoff.anyFinding)
  // An agent that has begun is followed to its end; only a round's first agent needs something left of each budget.
  if (next._tag !== "Ask" || lastAgent(state, round) !== null) return next
  const rounds = roundsWithoutProgress(state)
  if (handoff.kind === "AddressBatch" && rounds >= settings.patience) return ending({ _tag: "Patience", rounds })
  return budgeted(state, view.used, settings, handoff.kind) ?? baseline(state, settings, view.driver) ?? next
}
