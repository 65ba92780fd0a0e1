// Round: the policy of converge: what it decides from, and what it does in a round.
//
// A step hands over either a batch with issues or a clean level. A round answers one such hand-off, as a person
// between two steps would: agents work, tests run, and a mark reports the result to the run. Only the step judges
// reviews and proves a fixed point; nothing here can turn into one. There are two logs: the run's own log has reviews
// and marks, and the driver's stream, whose lines are named below, has what happened in rounds.
//
//   RoundStarted     The hand-off: level, batch, names of the findings, and the content that was reviewed.
//   AgentStarted     A worker addresses the batch (`address`), or a reader looks over the level (`retrospective`); for
//                    patterns that the reader found, a worker follows (`patterns`). No reader is asked where one would
//                    find nothing new: RetrospectiveSkipped.
//   ResultJudged     Accepted, asked for again, or blocked, which ends the call; of a reader also: patterns.
//   RoundAnswered    What the accepted worker says of each finding, and which protected files were changed. If any was,
//                    the round is closed without a mark.
//   TestStarted      The tests run on the worktree after the last worker. If they fail, `mend-1`, `mend-2` ... fix
//                    them, at most `--fix-attempts` times; then `--undo-on-red` puts the worktree back
//                    (WorktreeRestored).
//   FixesCommitted   With `--commit-fixes`, once the tests are green. A hook that refuses counts as a red test.
//   RoundConcluded   The mark that follows: AddressPassed or AddressFailed of a batch, RetroClean or RetroChanges of a
//                    level. Patterns whose tests stay red have no mark.
//   RoundClosed      The mark is in the run's log, or the reason why this round sets none.
//
// Each turn looks at the stream and decides again, so a call that is killed anywhere is continued by the next one:
// - Agents and tests are recorded before they start, and outlive their driver. A living one is followed, the end of a
//   dead one is read from its files, an attempt or test that never began starts again.
// - A commit that was made and not recorded leaves nothing to commit, so the next try records the same commit.
// - The hand-off is not in the stream. A step hands over the same batch again, because the batch waits for its mark;
//   but it would review the changes of a `patterns` worker, so an open round with one takes its hand-off from the run.
// - A mark that was set before its round was closed has moved the run on, and the next hand-off closes the concluded
//   round as marked. AddressFailed moves nothing, and is set again.
//
// Another process may answer the hand-off first. A mark names its batch and the head that it was decided on, so a late
// one is refused and the run is read again; and while agents or tests run, the run's log is read every second. Then
// the agents are ended, what they changed stays, and the round is closed as answered elsewhere.
//
// Two rounds are never open, because one process at a time drives a worktree (`DriverLock`) and only a closed round, or
// none, is followed by another. AddressPassed is never set on red tests: it is decided only where every test is green
// since the last worker, and a test during which the code changed is not green. Before a call ends at a fixed point,
// every test is green on the very content that the step proved, unless a person allows `red-baseline`. No call goes on
// for ever: budgets, `--patience` and circles (`Progress.ts`) end it.
import { Clock, Effect, Schedule } from "effect"
import { refreshDriver } from "../../agent/TaskLog.ts"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import { recovered } from "../../platform/Note.ts"
import * as Reviewing from "../../review/End.ts"
import { reviewsWithIssues } from "../../run/Batch.ts"
import type { Identity } from "../../run/Identity.ts"
import { keepLong } from "../../run/LongText.ts"
import type { Level } from "../../run/Level.ts"
import type { Mark } from "../../run/Mark.ts"
import { header, type Outcome } from "../../run/Outcome.ts"
import { refresh } from "../../run/Run.ts"
import { isGiven } from "../../agent/Consent.ts"
import { loopStep } from "../../step/LoopStep.ts"
import { markStep } from "../../step/MarkStep.ts"
import { used } from "../Budgets.ts"
import { commitMessage } from "../Commits.ts"
import { refusedCommit } from "../Decide.ts"
import { aborted, countToRound, on, over, protectedFiles, record, restore, roundOf, type Turn } from "../Drive.ts"
import { commonEnd } from "../Ends.ts"
import { answerOf, ask, begin, commit, left, messageOf, test, unlessProtected, warn } from "../Kernel.ts"
import { allTokens, spendingOf, unspent } from "../Spending.ts"
import type { PersonAnswer } from "../State.ts"
import { caughtUp, stopWork } from "../Stop.ts"
import { type AddressTask, lastAgent } from "../Tasks.ts"
import { redTest } from "../TestRuns.ts"
import { agentOrder, answerable, titledAnswers } from "./Agents.ts"
import { parseAnswers } from "./Answers.ts"
import { answerEvents, atFixedPoint, decide, type Decision, type End } from "./Decide.ts"
import { type ConvergeDrive, type Assignment, assignmentOf } from "./Drive.ts"
import type { Answer, CloseCause, RoundMark } from "./Event.ts"
import { type ConvergeState, openDriver } from "./State.ts"

/** Begins the round of a hand-off. */
export const startRound = (drive: ConvergeDrive, { content, handoff }: Assignment, round: number) => {
  const { batch, findings, history, kind, level } = handoff
  const { head } = drive.run
  return record(drive, [{ _tag: "RoundStarted", round, kind, level, batch, findings, content, history, head }])
}

/** Closes a round. The next decision is made from another step. */
export const close = Effect.fn("Round.close")(function*(drive: ConvergeDrive, round: number, because: CloseCause) {
  return { ...(yield* record(drive, [{ _tag: "RoundClosed", round, because }])), assignment: null }
})

/**
 * Takes the hand-off of an open round from the present run: a step would review what its agent has changed. Where
 * the run has left the batch of the round, the round is over.
 */
export const resume = Effect.fn("Round.resume")(function*(drive: ConvergeDrive, number: number) {
  const { concluded, started: { batch, kind, level } } = yield* roundOf(drive, number)
  const run = yield* refresh(drive.run)
  const { batch_number, current_level } = run.manifest
  const now = { ...drive, run }
  if (current_level !== level || batch_number !== batch) {
    return yield* close(now, number, concluded === null ? "AnsweredElsewhere" : "Marked")
  }
  const assignment = yield* assignmentOf(run, { kind, prompt: "" }, drive.settings.step)
  return { ...now, assignment }
})

/** The answer to each finding: the last agent's, or an earlier agent's of the round if the last one is `not-done`. */
const together = (before: ReadonlyArray<Answer>, now: ReadonlyArray<Answer>): ReadonlyArray<Answer> =>
  now.map((answer) =>
    answer.answer === "not-done"
      ? before.find(({ fingerprint }) => fingerprint === answer.fingerprint) ?? answer
      : answer
  )

/** Records the last agent's answer to each finding, and which protected files the round has changed. */
const answer = Effect.fn("Round.answer")(
  function*(drive: ConvergeDrive, assignment: Assignment, number: number, agent: number) {
    const round = yield* roundOf(drive, number)
    const said = parseAnswers(yield* answerOf(drive, agent), answerable(assignment))
    const answers = together(round.answered.at(-1)?.answers ?? [], said)
    const event = { round: number, agent, answers, protectedFiles: yield* protectedFiles(drive) }
    return yield* record(drive, [{ _tag: "RoundAnswered", ...event }])
  }
)

const messageFor = Effect.fnUntraced(
  function*({ driver, run, settings }: ConvergeDrive, assignment: Assignment, number: number) {
    const round = yield* roundOf({ driver }, number)
    const { batch, level } = round.started
    const answers = titledAnswers(assignment, [round])
    return commitMessage(settings.commitFixes ?? "", { level, batch, round: number, run: run.ref.runId, answers })
  }
)

const redText = Effect.fnUntraced(function*(drive: ConvergeDrive, number: number) {
  if (refusedCommit(drive.driver.state, yield* roundOf(drive, number)) !== null) return "git refused to commit"
  const { changed, command, exit, tail } = yield* redTest(drive, number)
  const ended = changed ? "ran while the code changed" : exit === null ? "was killed for its time" : `exited ${exit}`
  return `${command} ${ended}:\n${tail}`
})

/** The text of a mark: which test is red, or which patterns were implemented. */
const reasonOf = Effect.fnUntraced(function*(drive: ConvergeDrive, number: number, mark: RoundMark) {
  if (mark === "AddressFailed") return yield* redText(drive, number)
  if (mark !== "RetroChanges") return ""
  const reader = lastAgent(drive.driver.state, number, "retrospective")
  return reader?.standing._tag === "Finished" ? messageOf(reader) : "patterns"
})

/** Records that the mark of a round is about to be set. */
export const conclude = Effect.fn("Round.conclude")(function*(drive: ConvergeDrive, round: number, mark: RoundMark) {
  const reason = yield* keepLong(drive.run.ref, yield* reasonOf(drive, round, mark))
  const content = yield* presentIdentity(drive.run.manifest)
  return yield* record(drive, [{ _tag: "RoundConcluded", round, mark, reason, content, head: drive.run.head }])
})

const markOf = (mark: RoundMark, text: string): Mark => {
  if (mark === "AddressFailed") return { _tag: mark, details: { text } }
  return mark === "RetroChanges" ? { _tag: mark, reason: { text } } : { _tag: mark }
}

interface Marking {
  readonly mark: Mark
  readonly level: Level
  readonly batch: number
  readonly driver?: string
}

/** The run after a mark, which is refused where the run has moved on. */
const marked = ({ cwd, run, settings: { step } }: ConvergeDrive, { batch, level, ...marking }: Marking) => {
  const action = { _tag: "SideEffect", answers: { level, batch, run: run.ref.runId }, ...marking } as const
  const settings = { ...step, expectHead: run.head }
  return Effect.map(markStep(settings, action, Effect.succeed(Reviewing), cwd), (result) => result.run ?? run)
}

/**
 * Sets the mark of a round. Where the run has moved on since, the mark is refused, and the run is read and decided on
 * again. A run that has not moved refuses for good.
 */
const mark = Effect.fn("Round.mark")(function*(drive: ConvergeDrive, number: number, name: RoundMark) {
  const { id, run } = drive
  const { concluded, started: { batch, level } } = yield* roundOf(drive, number)
  const marking = marked(drive, { mark: markOf(name, concluded?.reason.text ?? ""), level, batch, driver: id })
  const moved = Effect.fnUntraced(function*<E>(error: E) {
    const now = yield* refresh(run)
    if (now.head.seq === run.head.seq) return yield* Effect.fail(error)
    yield* recovered("the run has moved on and is decided on again")(error)
    return { ...drive, assignment: null, run: now }
  })
  const closing = Effect.flatMap(marking, (run) => close({ ...drive, run }, number, "Marked"))
  return yield* Effect.catchTag(closing, ["HeadMoved", "LogConflict", "MarkRefused"], moved)
})

// One turn of a driven run: what is decided from what is durable, and done.

const unasked: Identity = { _tag: "Unknown", why: "not needed" }

/** The outcome of a call that decided to end. */
export const endOutcome = (state: ConvergeState, end: End): Outcome =>
  end._tag === "Patience"
    ? { _tag: "StuckCapReached", action: "AddressBatch", key: "patience" }
    : commonEnd(state, end)

/** Answers a batch with issues by a person's fix. A batch without issues needs no answer. */
const markFixed = Effect.fnUntraced(function*(drive: ConvergeDrive) {
  const now = yield* refresh(drive.run)
  const { batch, batch_number, current_level: level } = now.manifest
  if (batch._tag === "NotStarted" || reviewsWithIssues(batch) === 0) return now
  const marking = { mark: { _tag: "AddressPassed" }, level, batch: batch_number } as const
  return yield* marked({ ...drive, run: now }, marking).pipe(
    Effect.catchTag("MarkRefused", (error) => Effect.as(recovered("the fix of a person answers no batch")(error), now))
  )
})

/** Takes a person's answer to an earlier end: a fix also answers the batch. */
const takeAnswer = Effect.fnUntraced(function*(drive: ConvergeDrive, answer: PersonAnswer) {
  const run = answer === "Fixed" ? yield* markFixed(drive) : drive.run
  const events = answerEvents(drive.driver.state, answer, yield* presentIdentity(run.manifest))
  const now = yield* record({ ...drive, run }, events)
  return { ...now, assignment: null }
})

const look = Effect.fnUntraced(function*(before: ConvergeDrive) {
  const drive: ConvergeDrive = { ...before, spent: yield* spendingOf(before.run.ref, before.spent) }
  const { driver: { state }, id, run, assignment } = drive
  // What the worktree holds counts only where a circle may close, or a person may have fixed something.
  const content = assignment === null && (state.rounds.length > 0 || state.asked !== null)
    ? yield* presentIdentity(run.manifest)
    : unasked
  const now = yield* Clock.currentTimeMillis
  const view = {
    handoff: assignment?.handoff ?? null,
    content,
    driver: id,
    again: drive.options.again === true,
    used: used(state, allTokens(drive.spent.spending), now)
  }
  return { drive, decision: decide(state, view, drive.settings) }
})

/** Begins to drive a run. */
export const driven = Effect.fnUntraced(function*(drive: Omit<ConvergeDrive, "driver">) {
  const driver = yield* openDriver(drive.run.ref)
  yield* drive.options.onRun?.(drive.run.ref) ?? Effect.void
  const begun = yield* begin({ ...drive, driver })
  const carried = (drive.options.carried ?? []).filter((to) => !isGiven(begun.driver.state, "moved-base", to))
  const given = carried.map((content) => ({ _tag: "ConsentGiven", consent: "moved-base", content }) as const)
  return given.length === 0 ? begun : yield* record(begun, given)
})

// Milliseconds between two looks at the run's log, in which another process may answer the hand-off.
const lookEvery = 1000

/** Waits until the run leaves the batch of the hand-off: another process has answered it. */
const untilMoved = ({ run }: ConvergeDrive, { handoff }: Assignment) =>
  Effect.repeat(Effect.map(refresh(run), ({ manifest }) => manifest), {
    schedule: Schedule.spaced(lookEvery),
    until: ({ batch_number, current_level }) => current_level !== handoff.level || batch_number !== handoff.batch
  }).pipe(Effect.as("Moved" as const))

/** Leaves a round that another process has answered: ends its agents and tests, and keeps their changes. */
const leaveRound = Effect.fnUntraced(function*(before: ConvergeDrive) {
  const drive = yield* stopWork(yield* caughtUp(before), "Superseded")
  const last = drive.driver.state.rounds.at(-1)
  const closed = last === undefined || last.closed !== null
    ? drive
    : yield* record(drive, [{ _tag: "RoundClosed", round: last.round, because: "AnsweredElsewhere" }])
  return { ...closed, assignment: null }
})

/** A turn that waits for an agent or a test, unless another process answers the hand-off meanwhile. */
const unlessMoved = Effect.fnUntraced(
  function*<E, R>(drive: ConvergeDrive, round: number, turn: Effect.Effect<Turn<ConvergeDrive, Outcome>, E, R>) {
    const { assignment } = drive
    const ended = assignment === null ? yield* turn : yield* Effect.raceFirst(turn, untilMoved(drive, assignment))
    if (ended !== "Moved") return ended
    if (round > 0) yield* countToRound(drive, round, { _tag: "AfterTests" })
    return on(yield* leaveRound(drive))
  }
)

/** Asks an agent of a round and waits for its end. If another driver has ended it, the run has moved on. */
const asking = Effect.fnUntraced(
  function*(drive: ConvergeDrive, assignment: Assignment, number: number, task: AddressTask) {
    const order = yield* agentOrder(drive, assignment, yield* roundOf(drive, number), task)
    const turn = yield* ask(drive, order)
    const last = lastAgent(turn.drive.driver.state, number)?.standing
    const isLeft = last?._tag === "Stopped" && last.cause === "Superseded"
    return isLeft ? { ...turn, drive: { ...turn.drive, assignment: null } } : turn
  }
)

/** Ends at a fixed point whose tests are green; otherwise runs a test, and the next step looks at the code again. */
const green = Effect.fnUntraced(function*(drive: ConvergeDrive, proven: Outcome) {
  const { driver: { state }, id: driver, run, settings } = drive
  const content = settings.tests.length === 0 ? unasked : yield* presentIdentity(run.manifest)
  const decision = atFixedPoint(state, { content, driver }, settings)
  if (decision === null) return yield* unlessProtected(drive, Effect.succeed(over(drive, proven)))
  return decision._tag === "Test"
    ? yield* test(drive, decision)
    : over(drive, endOutcome(state, decision.end))
})

/** Calls a step, which may open another run than the one that was driven. */
const step = Effect.fnUntraced(function*(drive: ConvergeDrive) {
  const { cwd, options, run: before, settings } = drive
  const asked = Effect.map(refreshDriver(drive.driver), ({ state }) => state.stopAsked)
  const isStopped = Effect.flatMap(
    asked,
    (own) => own ? Effect.succeed(true) : options.isStopped ?? Effect.succeed(false)
  )
  const { outcome, run } = yield* loopStep(settings.step, false, cwd, isStopped)
  if (run === null) return over(drive, outcome)
  const same = run.ref.runId === before.ref.runId
  const after = same ? drive : yield* record(drive, [left(drive, header(outcome), outcome)])
  // A `stop` of the earlier run may have come after the step last looked.
  if (!same && after.driver.state.stopAsked) return over(after, aborted)
  const now = same ? { ...drive, run } : yield* driven({ ...after, run, spent: unspent })
  if (outcome._tag === "DoneFixedPoint") return yield* green(now, outcome)
  if (outcome._tag !== "HandoffAgent") return over(now, outcome)
  return on({
    ...now,
    assignment: yield* assignmentOf(run, { kind: outcome.action, prompt: outcome.prompt }, settings.step)
  })
})

/** The hand-off that a round works on. */
const handedOver = ({ assignment }: ConvergeDrive) =>
  assignment === null ? Effect.die(new Error("a round needs a hand-off")) : Effect.succeed(assignment)

const act = Effect.fnUntraced(function*(drive: ConvergeDrive, decision: Decision) {
  switch (decision._tag) {
    case "Step":
      return yield* unlessProtected(drive, step(drive))
    case "Resume":
      return on(yield* resume(drive, decision.round))
    case "StartRound":
      return on(yield* startRound(drive, yield* handedOver(drive), decision.round))
    case "Skip":
      return on(yield* record(drive, [{ ...decision, _tag: "RetrospectiveSkipped" }]))
    case "Ask":
      return yield* unlessMoved(drive, 0, asking(drive, yield* handedOver(drive), decision.round, decision.task))
    case "Answer":
      return on(yield* answer(drive, yield* handedOver(drive), decision.round, decision.agent))
    case "Test":
      return yield* unlessMoved(drive, decision.round, test(drive, decision))
    case "Restore":
      return on(yield* restore(drive, decision.round))
    case "Commit":
      return yield* commit(drive, decision, yield* messageFor(drive, yield* handedOver(drive), decision.round))
    case "Conclude":
      return on(yield* conclude(drive, decision.round, decision.mark))
    case "Mark":
      return yield* unlessProtected(drive, Effect.map(mark(drive, decision.round, decision.mark), on))
    case "Close":
      return on(yield* close(drive, decision.round, decision.because))
    case "TakeAnswer":
      return decision.answer === "Fixed"
        ? yield* unlessProtected(drive, Effect.map(takeAnswer(drive, decision.answer), on))
        : on(yield* takeAnswer(drive, decision.answer))
    case "Warn":
      return on(yield* warn(drive, decision))
    case "End":
      return over(drive, endOutcome(drive.driver.state, decision.end))
  }
})

/** What converge adds to the loop. */
export const policy = { look, act, header }
