// Round: one turn of a converging run.
import { Clock, Effect, Fiber } from "effect"
import { askForResult } from "../../agent/AskForResult.ts"
import { refreshDriver } from "../../agent/TaskLog.ts"
import { openDriver } from "./State.ts"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import { recovered } from "../../platform/Note.ts"
import type { SignalName } from "../../platform/Process.ts"
import * as Reviewing from "../../review/End.ts"
import type { Identity } from "../../run/Identity.ts"
import { keepLong } from "../../run/LongText.ts"
import type { Mark } from "../../run/Mark.ts"
import { header, type Outcome } from "../../run/Outcome.ts"
import { refresh } from "../../run/Run.ts"
import { loopStep } from "../../step/LoopStep.ts"
import { markStep } from "../../step/MarkStep.ts"
import { commitMessage, Commits } from "../Commits.ts"
import { consentEnd, otherBranch } from "../Ends.ts"
import { Narrator } from "../Narrator.ts"
import { allTokens, spendingOf, unspent } from "../Spending.ts"
import { isSignal, waitFor } from "../Stop.ts"
import { redTest, runTest } from "../TestRuns.ts"
import { countToRound, protectedFiles, record, takeBackRound } from "../Work.ts"
import { agentOrder, answerable, askAgent, interrupted, waitOn } from "./Agents.ts"
import { atFixedPoint, decide, type Decision } from "./Decide.ts"
import {
  type Driving,
  on,
  over,
  roundOf,
  showingReviews,
  type Standing,
  standingOf,
  type Turn,
  worktreeOf
} from "./Driver.ts"
import { endOutcome } from "./Ends.ts"
import type { Answer, CloseCause, RoundMark, SkipCause } from "./Event.ts"
import { used } from "./Progress.ts"
import { type AgentTaskName, lastOf, parseAnswers, taskIdOf } from "./Tasks.ts"
import { lineOf } from "./words.ts"

// What the driver does in a round beside asking agents and running tests: answers, commits, marks, and so on.

/** Begins the round of a hand-off. */
export const startRound = (driving: Driving, { content, handoff }: Standing, round: number) => {
  const { batch, findings, history, kind, level } = handoff
  const { head } = driving.run
  return record(driving, [{ _tag: "RoundStarted", round, kind, level, batch, findings, content, history, head }])
}

/** Records that no agent looks over a clean level. */
export const skip = (driving: Driving, round: number, because: SkipCause) =>
  record(driving, [{ _tag: "RetrospectiveSkipped", round, because }])

/** Closes a round. The next decision is made from another step. */
export const close = Effect.fn("Round.close")(function*(driving: Driving, round: number, because: CloseCause) {
  return { ...(yield* record(driving, [{ _tag: "RoundClosed", round, because }])), standing: null }
})

/**
 * Takes the hand-off of an open round from the run as it stands: a step would review what its agent has changed. Where
 * the run has left the batch of the round, the round is over.
 */
export const resume = Effect.fn("Round.resume")(function*(driving: Driving, number: number) {
  const { concluded, started: { batch, kind, level } } = yield* roundOf(driving, number)
  const run = yield* refresh(driving.run)
  const { batch_number, current_level } = run.manifest
  const now = { ...driving, run }
  if (current_level !== level || batch_number !== batch) {
    return yield* close(now, number, concluded === null ? "AnsweredElsewhere" : "Marked")
  }
  const standing = yield* standingOf(run, { kind, prompt: "" }, driving.settings.step)
  return { ...now, standing }
})

const nameOf = (round: number, taskId: string): AgentTaskName => {
  const all: ReadonlyArray<AgentTaskName> = [{ _tag: "Address" }, { _tag: "Patterns" }, { _tag: "Retro" }]
  const mend = /\/mend-(\d+)$/.exec(taskId)
  return mend === null
    ? all.find((name) => taskIdOf(round, name) === taskId) ?? { _tag: "Address" }
    : { _tag: "Mend", mend: Number(mend[1]) }
}

/** The answer to each finding. Where the last agent's is `not-done`, that of an earlier agent of the round counts. */
const together = (before: ReadonlyArray<Answer>, now: ReadonlyArray<Answer>): ReadonlyArray<Answer> =>
  now.map((answer) =>
    answer.answer === "not-done"
      ? before.find(({ fingerprint }) => fingerprint === answer.fingerprint) ?? answer
      : answer
  )

/** The protected files that are not what they were when the run began. */
const protectedNow = (driving: Driving) =>
  protectedFiles(driving.run.ref, worktreeOf(driving), driving.settings.protect)

/** Records what the last agent of a round answered to each finding, and which protected files the round has changed. */
const answer = Effect.fn("Round.answer")(
  function*(driving: Driving, standing: Standing, number: number, agent: number) {
    const round = yield* roundOf(driving, number)
    const taskId = lastOf(driving.driver.state, number)?.started.taskId ?? ""
    const order = yield* agentOrder(driving, standing, round, nameOf(number, taskId))
    // The agent has ended: this tells its whole answer again and starts nothing.
    const { result } = yield* askForResult(driving.driver, order)
    const message = result._tag === "Judged" ? result.ending.message : ""
    const answers = together(round.answered.at(-1)?.answers ?? [], parseAnswers(message, answerable(standing)))
    const files = yield* protectedNow(driving)
    const event = { round: number, agent, answers, protectedFiles: files }
    return yield* record(driving, [{ _tag: "RoundAnswered", ...event }])
  }
)

/** Puts the worktree back to where the round began. */
const restore = Effect.fn("Round.restore")(function*(driving: Driving, number: number) {
  const { to } = yield* takeBackRound(driving.run.ref, worktreeOf(driving), number)
  return yield* record(driving, [{ _tag: "WorktreeRestored", round: number, snapshot: to.number }])
})

/** Commits the work of a round. A signal ends git and its hooks. */
const commitFixes = Effect.fn("Round.commitFixes")(
  function*(
    driving: Driving,
    standing: Standing,
    number: number,
    agent: number,
    signals: Fiber.Fiber<SignalName>
  ) {
    const refused = yield* otherBranch(driving.driver.state, worktreeOf(driving))
    if (refused !== null) return over(driving, refused)
    const { run, settings } = driving
    const { answered, started: { batch, level } } = yield* roundOf(driving, number)
    const titles = new Map(standing.report.findings.map(({ finding }) => [finding.fingerprint, finding.title]))
    const answers = (answered.at(-1)?.answers ?? []).map((one) => ({
      ...one,
      title: titles.get(one.fingerprint) ?? ""
    }))
    const message = commitMessage(settings.commitFixes ?? "", {
      level,
      batch,
      round: number,
      run: run.ref.runId,
      answers
    })
    const ended = yield* waitFor(signals, (yield* Commits).commitAll(worktreeOf(driving), message))
    if (isSignal(ended)) return (yield* interrupted(driving, ended)) ?? on(driving)
    const output = yield* keepLong(run.ref, ended.output)
    return on(yield* record(driving, [{ _tag: "FixesCommitted", round: number, agent, commit: ended.commit, output }]))
  }
)

const redText = Effect.fnUntraced(function*(driving: Driving, number: number) {
  const { driver: { state } } = driving
  if (state.rounds[number - 1]?.commits.at(-1)?.agent === lastOf(state, number)?.agent) return "git refused to commit"
  const { changed, command, exit, tail } = yield* redTest(driving, number)
  const ended = changed ? "ran while the code changed" : exit === null ? "was killed for its time" : `exited ${exit}`
  return `${command} ${ended}:\n${tail}`
})

/** The text of a mark: which test is red, or which patterns were implemented. */
const reasonOf = Effect.fnUntraced(function*(driving: Driving, number: number, mark: RoundMark) {
  if (mark === "AddressFailed") return yield* redText(driving, number)
  if (mark !== "RetroChanges") return ""
  const reader = lastOf(driving.driver.state, number, taskIdOf(number, { _tag: "Retro" }))
  return reader?.standing._tag === "Finished" ? reader.standing.finished.message.text : "patterns"
})

/** Records that the mark of a round is about to be set. */
export const conclude = Effect.fn("Round.conclude")(function*(driving: Driving, round: number, mark: RoundMark) {
  const reason = yield* keepLong(driving.run.ref, yield* reasonOf(driving, round, mark))
  const content = yield* presentIdentity(driving.run.manifest)
  return yield* record(driving, [{ _tag: "RoundConcluded", round, mark, reason, content, head: driving.run.head }])
})

const markOf = (mark: RoundMark, text: string): Mark => {
  switch (mark) {
    case "AddressPassed":
      return { _tag: "AddressPassed" }
    case "AddressFailed":
      return { _tag: "AddressFailed", details: { text } }
    case "RetroClean":
      return { _tag: "RetroClean" }
    case "RetroChanges":
      return { _tag: "RetroChanges", reason: { text } }
  }
}

/**
 * Sets the mark of a round. Where the run has moved on since, the mark is refused, and the run is read and decided on
 * again. A run that stands where it stood refuses for good.
 */
const mark = Effect.fn("Round.mark")(function*(driving: Driving, number: number, name: RoundMark) {
  const { id, run, settings: { step }, cwd } = driving
  const { concluded, started: { batch, level } } = yield* roundOf(driving, number)
  const action = {
    _tag: "SideEffect",
    mark: markOf(name, concluded?.reason.text ?? ""),
    answers: { level, batch, run: run.ref.runId },
    driver: id
  } as const
  const marking = markStep({ ...step, expectHead: run.head }, action, Effect.succeed(Reviewing), cwd)
  const moved = Effect.fnUntraced(function*<E>(error: E) {
    const now = yield* refresh(run)
    if (now.head.seq === run.head.seq) return yield* Effect.fail(error)
    yield* recovered("the run has moved on and is decided on again")(error)
    return { ...driving, standing: null, run: now }
  })
  const marked = Effect.flatMap(
    marking,
    (result) => close(result.run === null ? driving : { ...driving, run: result.run }, number, "Marked")
  )
  return yield* Effect.catchTag(marked, ["HeadMoved", "LogConflict", "MarkRefused"], moved)
})

// One turn of a driven run: what is decided from what is durable, and done.

const unasked: Identity = { _tag: "Unknown", why: "not needed" }

/** Does what counts for the end of a run, unless protected files were changed by now: then a person looks at them. */
const unlessProtected = Effect.fnUntraced(function*<E, R>(driving: Driving, turn: Effect.Effect<Turn, E, R>) {
  const files = yield* protectedNow(driving)
  if (files.length === 0) return yield* turn
  const round = driving.driver.state.rounds.at(-1)?.started.round ?? 0
  return over(driving, yield* endOutcome(driving, { _tag: "Protected", round, files }))
})

/** What is decided from: all that has been committed so far, and what the worktree holds where a circle may close. */
export const looked = Effect.fnUntraced(function*(before: Driving) {
  const driving = {
    ...before,
    driver: yield* refreshDriver(before.driver),
    spent: yield* spendingOf(before.run.ref, before.spent)
  }
  const { driver: { state }, id, run, standing } = driving
  const content = standing === null && state.rounds.length > 0 ? yield* presentIdentity(run.manifest) : unasked
  const now = yield* Clock.currentTimeMillis
  const view = {
    handoff: standing?.handoff ?? null,
    content,
    driver: id,
    used: used(state, allTokens(driving.spent.spending), now)
  }
  return { driving, decision: decide(state, view, driving.settings) }
})

/** Begins to drive a run. */
export const driven = Effect.fnUntraced(function*(driving: Driving) {
  const driver = yield* openDriver(driving.run.ref)
  yield* driving.onRun(driving.run.ref)
  const { branch, id, pid } = driving
  return yield* record({ ...driving, driver }, [{ _tag: "DriverStarted", driver: id, pid, branch }])
})

/** What is recorded when a driver leaves. */
export const left = ({ id }: Driving, outcome: Outcome) =>
  ({ _tag: "DriverEnded", driver: id, outcome: header(outcome) }) as const

const test = Effect.fnUntraced(function*(
  driving: Driving,
  { command, round, running }: Extract<Decision, { readonly _tag: "Test" }>,
  signals: Fiber.Fiber<SignalName>
) {
  const work = runTest(driving, round, command, running)
  const ended = yield* waitOn(driving, driving.standing, signals, work)
  if (round > 0) yield* countToRound(driving.run.ref, worktreeOf(driving), round, { _tag: "AfterTests" })
  const turn = yield* interrupted(driving, ended)
  return turn ?? (typeof ended === "string" ? on(driving) : on(ended))
})

/** Tells a fixed point whose tests are green. Else a test runs first, and then another step looks at the code again. */
const green = Effect.fnUntraced(function*(driving: Driving, proven: Outcome, signals: Fiber.Fiber<SignalName>) {
  const { driver: { state }, id: driver, run, settings } = driving
  const content = settings.tests.length === 0 ? unasked : yield* presentIdentity(run.manifest)
  const decision = atFixedPoint(state, { content, driver }, settings)
  if (decision === null) return yield* unlessProtected(driving, Effect.succeed(over(driving, proven)))
  yield* (yield* Narrator).say(lineOf(state, decision))
  if (decision._tag === "Test") return yield* test(driving, decision, signals)
  return decision._tag === "End" ? over(driving, yield* endOutcome(driving, decision.end)) : on(driving)
})

/** Calls a step. It may have opened another run than the one that was driven. */
const step = Effect.fnUntraced(function*(driving: Driving, signals: Fiber.Fiber<SignalName>) {
  const { cwd, run: before, settings } = driving
  const asked = Effect.map(refreshDriver(driving.driver), ({ state }) => state.stopAsked)
  const isStopped = Effect.flatMap(asked, (own) => own ? Effect.succeed(true) : driving.isStopped)
  const { outcome, run } = yield* showingReviews(driving, loopStep(settings.step, false, cwd, isStopped))
  if (run === null) return over(driving, outcome)
  const same = run.ref.runId === before.ref.runId
  const after = same ? driving : yield* record(driving, [left(driving, outcome)])
  // Somebody may have asked the driver of the run before to end after the step last looked.
  if (!same && after.driver.state.stopAsked) return over(after, { _tag: "DoneAborted" })
  const now = same ? { ...driving, run } : yield* driven({ ...after, run, spent: unspent })
  if (outcome._tag === "DoneFixedPoint") return yield* green(now, outcome, signals)
  if (outcome._tag !== "HandoffAgent") return over(now, outcome)
  return on({
    ...now,
    standing: yield* standingOf(run, { kind: outcome.action, prompt: outcome.prompt }, settings.step)
  })
})

type Rounds = Exclude<Decision, { readonly _tag: "Step" | "Resume" | "Test" | "Warn" | "End" }>

/** One turn in a round. */
const inRound = Effect.fnUntraced(function*(
  driving: Driving,
  standing: Standing,
  decision: Rounds,
  signals: Fiber.Fiber<SignalName>
) {
  const { round } = decision
  switch (decision._tag) {
    case "StartRound":
      return on(yield* startRound(driving, standing, round))
    case "Skip":
      return on(yield* skip(driving, round, decision.because))
    case "Ask":
      return yield* askAgent(driving, standing, round, decision.task, signals)
    case "Answer":
      return on(yield* answer(driving, standing, round, decision.agent))
    case "Restore":
      return on(yield* restore(driving, round))
    case "Commit":
      return yield* commitFixes(driving, standing, round, decision.agent, signals)
    case "Conclude":
      return on(yield* conclude(driving, round, decision.mark))
    case "Mark":
      return yield* unlessProtected(driving, Effect.map(mark(driving, round, decision.mark), on))
    case "Close":
      return on(yield* close(driving, round, decision.because))
  }
})

const acted = Effect.fnUntraced(function*(driving: Driving, decision: Decision, signals: Fiber.Fiber<SignalName>) {
  switch (decision._tag) {
    case "Step":
      return yield* unlessProtected(driving, step(driving, signals))
    case "Test":
      return yield* test(driving, decision, signals)
    case "Resume":
      return on(yield* resume(driving, decision.round))
    case "Warn": {
      const { budget, limit, used } = decision
      return on(yield* record(driving, [{ _tag: "BudgetWarned", budget, used, limit }]))
    }
    case "End":
      return over(driving, yield* endOutcome(driving, decision.end))
    default: {
      const { standing } = driving
      if (standing === null) return yield* Effect.die(new Error("a round needs a hand-off"))
      return yield* inRound(driving, standing, decision, signals)
    }
  }
})

/** One turn; what needs a person's consent ends the call. */
export const turned = (driving: Driving, decision: Decision, signals: Fiber.Fiber<SignalName>) =>
  acted(driving, decision, signals).pipe(
    Effect.catchTag("ConsentNeeded", (error) => Effect.succeed(over(driving, consentEnd(error.message, "converge")))),
    Effect.catchIf(
      (error) => error._tag === "SnapshotFailed" && error.reason._tag === "Partial",
      (error) => Effect.succeed(over(driving, consentEnd(error.message, "converge")))
    )
  )
