// Decide: what the converge driver does next.
import type { AgentState } from "../../agent/State.ts"
import { type Identity, sameContent } from "../../run/Identity.ts"
import type { Level } from "../../run/Level.ts"
import { exhausted, type Used } from "../Budgets.ts"
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
import { allowed, changedCode, outside, suite, testing } from "../Tests.ts"
import { refusalReason } from "../Commits.ts"
import { driverOf } from "../State.ts"
import type { CloseCause, ConvergeEventOf, PersonAnswer, RoundKind, RoundMark, SkipCause } from "./Event.ts"
import { circle, roundsWithoutProgress } from "./Progress.ts"
import type { ConvergeSettings } from "./Settings.ts"
import type { AskedEnd, ConvergeState, RoundState } from "./State.ts"
import { type AgentTaskName, lastOf, mends, taskIdOf } from "./Tasks.ts"

// What the driver of a run decides from beside its stream, and what it can decide.

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
export interface View {
  readonly handoff: Handoff | null
  /** What the worktree holds now. */
  readonly content: Identity
  readonly used: Used
  /** The driver that asks. */
  readonly driver: string
  /** Whether a person asks for another try. */
  readonly again?: boolean
}

/** Why the driver ends although nothing is proven. */
export type End =
  | CommonEnd
  | { readonly _tag: "Patience"; readonly rounds: number }
  /** An earlier driver asked a person, and nothing has changed since. */
  | { readonly _tag: "Unchanged"; readonly asked: AskedEnd }

/** What the driver does next. */
export type Decision =
  | CommonDecision<End>
  | { readonly _tag: "Step" }
  /** A person has answered the end of an earlier driver. */
  | { readonly _tag: "TakeAnswer"; readonly answer: PersonAnswer }
  /**
   * The hand-off of an open round is taken from the run as it stands, without a step: the round's agent changes the
   * code, which a step would have reviewed. Where the run has left the round's batch, the round is closed.
   */
  | { readonly _tag: "Resume"; readonly round: number }
  | { readonly _tag: "StartRound"; readonly round: number }
  | { readonly _tag: "Skip"; readonly round: number; readonly because: SkipCause }
  | { readonly _tag: "Ask"; readonly round: number; readonly task: AgentTaskName }
  | { readonly _tag: "Conclude"; readonly round: number; readonly mark: RoundMark }
  | { readonly _tag: "Mark"; readonly round: number; readonly mark: RoundMark }
  | { readonly _tag: "Close"; readonly round: number; readonly because: CloseCause }

// What comes next in a round that stands: an agent is asked, tests run, a mark is concluded.

/** The settings that decide. */
export type DecideSettings = Pick<
  ConvergeSettings,
  | "allow"
  | "commitFixes"
  | "fixAttempts"
  | "maxRounds"
  | "maxTime"
  | "maxTokens"
  | "patience"
  | "retro"
  | "tests"
  | "undoOnRed"
>

/** The tests after the last agent of a round: a decision until they are green and committed, then null. */
const tested = (state: ConvergeState, round: RoundState, settings: DecideSettings): Decision | null => {
  const number = round.started.round
  const agents = lastOf(state, number)?.agent ?? 0
  const runs = state.tests.filter((run) => run.started.round === number && run.agents >= agents)
  const stands = suite(settings.tests, runs)
  const test = nextTest(number, stands)
  if (test !== null) return test
  if (stands._tag === "Green") {
    const last = round.commits.at(-1)
    if (settings.commitFixes === null || last?.agent === agents && last.commit !== null) return null
    // What only a person can change is asked of no agent: this call ends, and the next one tries again.
    const isPersonal = last?.agent === agents && refusalReason(last.output.text) !== null
    if (last?.agent !== agents || isPersonal && last.driver !== driverOf(state)) {
      return { _tag: "Commit", round: number, agent: agents }
    }
    if (isPersonal) return commitRed(number)
  }
  const fixes = mends(state, number)
  const next = redTurn({ round: number, fixes, restored: round.restored !== null }, settings)
  if (next === "Fix") return { _tag: "Ask", round: number, task: { _tag: "Mend", mend: fixes + 1 } }
  if (next !== "Over") return next
  return round.started.kind === "AddressBatch"
    ? { _tag: "Conclude", round: number, mark: "AddressFailed" }
    : { _tag: "Close", round: number, because: "TestsRed" }
}

const rejected = (state: ConvergeState, settings: DecideSettings, round: number, agent: number): Decision =>
  allowed(state, settings.allow, "rejected-result")
    ? { _tag: "Close", round, because: "Rejected" }
    : ending({ _tag: "Rejected", agent })

/** The work of agents that may write: asked until it is accepted, then held against what may not be changed. */
const worked = (
  state: ConvergeState,
  round: RoundState,
  settings: DecideSettings,
  first: AgentTaskName
): Decision | AgentState => {
  const number = round.started.round
  const last = lastOf(state, number, taskIdOf(number, first)) === null ? null : lastOf(state, number)
  if (last === null) return { _tag: "Ask", round: number, task: first }
  if (last.judged?.action === "block") return rejected(state, settings, number, last.agent)
  if (last.judged?.action !== "accept") {
    const mended = mends(state, number)
    return { _tag: "Ask", round: number, task: mended === 0 ? first : { _tag: "Mend", mend: mended } }
  }
  const answer = round.answered.at(-1)
  if (answer?.agent !== last.agent) return { _tag: "Answer", round: number, agent: last.agent }
  return answer.protectedFiles.length > 0 ? { _tag: "Close", round: number, because: "Protected" } : last
}

/** What comes next in a round that addresses a batch. */
export const addressed = (state: ConvergeState, round: RoundState, settings: DecideSettings): Decision => {
  const work = worked(state, round, settings, { _tag: "Address" })
  if ("_tag" in work) return work
  return tested(state, round, settings) ?? { _tag: "Conclude", round: round.started.round, mark: "AddressPassed" }
}

/** Whether an agent has looked over the same history before. What it found then was implemented. */
const askedBefore = ({ rounds }: ConvergeState, { started }: RoundState): boolean =>
  rounds.some((one) =>
    one.started.round < started.round && one.started.kind === "Retrospective" && one.skipped === null &&
    one.concluded !== null && one.started.history === started.history
  )

/** What comes next in a round about a clean level. */
export const lookedOver = (
  state: ConvergeState,
  round: RoundState,
  settings: DecideSettings,
  anyFinding: boolean
): Decision => {
  const number = round.started.round
  const clean: Decision = { _tag: "Conclude", round: number, mark: "RetroClean" }
  if (round.skipped !== null) return clean
  const retro = lastOf(state, number, taskIdOf(number, { _tag: "Retro" }))
  if (retro === null) {
    if (settings.retro === "never") return { _tag: "Skip", round: number, because: "Never" }
    if (!anyFinding) return { _tag: "Skip", round: number, because: "NoFindings" }
    if (askedBefore(state, round)) return { _tag: "Skip", round: number, because: "AskedBefore" }
  }
  switch (retro?.judged?.action) {
    case "accept":
      return clean
    case "block":
      return rejected(state, settings, number, retro?.agent ?? 0)
    case "remediate": {
      const work = worked(state, round, settings, { _tag: "Patterns" })
      if ("_tag" in work) return work
      return tested(state, round, settings) ?? { _tag: "Conclude", round: number, mark: "RetroChanges" }
    }
    default:
      return { _tag: "Ask", round: number, task: { _tag: "Retro" } }
  }
}

// What the driver of a run does next, from its stream and the hand-off that stands.
// Total and pure. A fixed point is told by the step alone; nothing here can turn into one.

/**
 * What is to be done before a fixed point is told: the tests must be green on the content that was proven, whoever has
 * changed it since they ran. Null where they are.
 */
export const atFixedPoint = (
  state: ConvergeState,
  { content, driver }: Pick<View, "content" | "driver">,
  settings: DecideSettings
): Decision | null => {
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
  return outsideTurn(testing(state, settings, runs, content))
}

/** The last round, where an agent was asked to implement patterns in it. */
const implementing = (state: ConvergeState): RoundState | null => {
  const last = state.rounds.at(-1)
  const begun = last !== undefined &&
    lastOf(state, last.started.round, taskIdOf(last.started.round, { _tag: "Patterns" }))
  return last === undefined || !begun ? null : last
}

/** What comes next where no hand-off is known. */
const unasked = (state: ConvergeState, view: View, settings: DecideSettings): Decision => {
  const patterns = implementing(state)
  if (patterns?.closed === null) return { _tag: "Resume", round: patterns.started.round }
  const left = circle(state, view.content)
  if (left !== null) return ending({ _tag: "Circle", content: left })
  const [budget] = exhausted({ ...view.used, rounds: 0 }, settings)
  if (budget !== undefined) return ending({ _tag: "Budget", budget, action: "RunReviews" })
  // A clean review of patterns that turned the tests red, or whose tests never ran, would hide that.
  const untested = patterns !== null && patterns.closed?.because !== "Marked"
  if (untested) return outsideTurn(outside(state, settings, view.driver)) ?? { _tag: "Step" }
  // Tests that fail before anybody has changed anything end the call before a review is paid.
  const first = state.agents.agents.length === 0 ? atFixedPoint(state, view, settings) : null
  return first ?? { _tag: "Step" }
}

/** Why a round that this driver itself has closed ends its call: only a person can go on. */
const failedNow = (state: ConvergeState, { driver }: View): Decision | null => {
  const last = state.rounds.at(-1)
  if (last === undefined || last.closed === null || last.closedBy !== driver) return null
  const { round } = last.started
  if (last.closed.because === "Protected") {
    return ending({ _tag: "Protected", round, files: last.answered.at(-1)?.protectedFiles ?? [] })
  }
  const red = last.closed.because === "Marked" && last.concluded?.mark === "AddressFailed"
  if (last.closed.because !== "TestsRed" && !red) return null
  return last.commits.at(-1)?.agent === (lastOf(state, round)?.agent ?? 0) ? commitRed(round) : testsRed(state, round)
}

/** The ends that stay as they are while the code does. */
const isLasting = ({ rounds }: ConvergeState, { outcome }: AskedEnd, settings: DecideSettings): boolean =>
  outcome === "HandoffHuman: TestsFailedTriage"
    // Git may commit by now what it refused.
    ? rounds.at(-1)?.commits.at(-1)?.commit !== null
    : outcome === "HandoffHuman: TaskBlocked" && !settings.allow.includes("rejected-result")

/** What follows from a person's answer to the end of an earlier driver; null where none is asked. */
const personTurn = (state: ConvergeState, view: View, settings: DecideSettings): Decision | null => {
  const { asked } = state
  if (asked === null || asked.driver === view.driver) return null
  const isNow = (other: Identity | undefined) => other !== undefined && sameContent(other, view.content) === "Same"
  if (isNow(asked.content)) {
    if (view.again === true) return { _tag: "TakeAnswer", answer: "Again" }
    return isLasting(state, asked, settings)
      ? ending({ _tag: "Unchanged", asked })
      : { _tag: "TakeAnswer", answer: "Unchanged" }
  }
  if (isNow(state.rounds.at(-1)?.started.content)) return { _tag: "TakeAnswer", answer: "Undone" }
  const tests = outside(state, settings, view.driver)
  if (tests?._tag === "Red") {
    return ending({ _tag: "TestsRed", round: state.rounds.length, test: tests.test, command: tests.command })
  }
  return outsideTurn(tests) ?? { _tag: "TakeAnswer", answer: "Fixed" }
}

/** What is recorded of a person's answer: an open round is over, but where nothing has changed. */
export const answerEvents = (
  { rounds }: ConvergeState,
  answer: PersonAnswer,
  content: Identity
): ReadonlyArray<ConvergeEventOf<"PersonAnswered" | "RoundClosed">> => {
  const last = rounds.at(-1)
  const isOver = answer === "Unchanged" || last === undefined || last.closed !== null
  return [
    ...isOver ? [] : [{ _tag: "RoundClosed", round: last.started.round, because: "AnsweredElsewhere" } as const],
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
  if (state.stopAsked) return ending({ _tag: "StopAsked" })
  const failed = failedNow(state, view)
  if (failed !== null) return failed
  const person = personTurn(state, view, settings)
  if (person !== null) return person
  const { handoff } = view
  if (handoff === null) return unasked(state, view, settings)
  const open = openRound(state, handoff)
  const last = state.rounds.at(-1)
  if (open === null) {
    if (last !== undefined && last.closed === null) {
      // A mark that tells of red tests leaves the hand-off as it is, so it was not this one that moved the run.
      const mark = last.concluded?.mark ?? "AddressFailed"
      const because = mark === "AddressFailed" ? "AnsweredElsewhere" : "Marked"
      return { _tag: "Close", round: last.started.round, because }
    }
    return { _tag: "StartRound", round: state.rounds.length + 1 }
  }
  const round = open.started.round
  if (open.concluded !== null) return { _tag: "Mark", round, mark: open.concluded.mark }
  const next = open.started.kind === "AddressBatch"
    ? addressed(state, open, settings)
    : lookedOver(state, open, settings, handoff.anyFinding)
  // An agent that has begun is followed to its end; only a round's first agent needs something left of each budget.
  if (next._tag !== "Ask" || lastOf(state, round) !== null) return next
  const rounds = roundsWithoutProgress(state)
  if (handoff.kind === "AddressBatch" && rounds >= settings.patience) return ending({ _tag: "Patience", rounds })
  // Tests run before the first agent of all: they show what was red before anybody changed anything.
  const baseline = state.agents.agents.length > 0 ? null : outsideTurn(outside(state, settings, view.driver))
  return budgeted(state, view.used, settings, handoff.kind) ?? baseline ?? next
}
