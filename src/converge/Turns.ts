// Turns: what the driver does in a round beside asking agents and running tests: answers, commits, marks, and so on.
import { Effect } from "effect"
import { askForResult } from "../agents/AskForResult.ts"
import { parseAnswers } from "../core/converge/Answers.ts"
import { commitMessage } from "../core/converge/CommitMessage.ts"
import type { Answer, CloseCause, RoundMark, SkipCause } from "../core/converge/Event.ts"
import { lastOf, type AgentTaskName, taskIdOf } from "../core/converge/Tasks.ts"
import type { Mark } from "../core/loop/Mark.ts"
import * as Reviewing from "../ooda/Reviewing.ts"
import { keepLong } from "../runs/KeepLong.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import { refresh } from "../runs/Run.ts"
import { recovered } from "../services/Note.ts"
import { Commits } from "../services/Commits.ts"
import { Snapshots } from "../services/Snapshots.ts"
import { markStep } from "../step/MarkStep.ts"
import { agentOrder, answerable } from "./AgentOrders.ts"
import { type Driving, roundOf, worktreeOf } from "./Driving.ts"
import { around, protectedFiles } from "../driving/Around.ts"
import { record } from "../driving/Work.ts"
import { type Standing, standingOf } from "./Handoff.ts"
import { tailOfTest } from "../driving/TestRuns.ts"

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
export const close = Effect.fn("Turns.close")(function*(driving: Driving, round: number, because: CloseCause) {
  return { ...(yield* record(driving, [{ _tag: "RoundClosed", round, because }])), standing: null }
})

/**
 * Takes the hand-off of an open round from the run as it stands: a step would review what its agent has changed. Where
 * the run has left the batch of the round, the round is over.
 */
export const resume = Effect.fn("Turns.resume")(function*(driving: Driving, number: number) {
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

const agentsOf = (round: number): string => `round-${round}/`

/** The answer to each finding. Where the last agent's is `not-done`, that of an earlier agent of the round counts. */
const together = (before: ReadonlyArray<Answer>, now: ReadonlyArray<Answer>): ReadonlyArray<Answer> =>
  now.map((answer) =>
    answer.answer === "not-done"
      ? before.find(({ fingerprint }) => fingerprint === answer.fingerprint) ?? answer
      : answer
  )

/** Records what the last agent of a round answered to each finding, and which protected files the round has changed. */
export const answer = Effect.fn("Turns.answer")(
  function*(driving: Driving, standing: Standing, number: number, agent: number) {
    const round = yield* roundOf(driving, number)
    const taskId = lastOf(driving.driver.state, number)?.started.taskId ?? ""
    const order = yield* agentOrder(driving, standing, round, nameOf(number, taskId))
    // The agent has ended: this tells its whole answer again and starts nothing.
    const { result } = yield* askForResult(driving.driver, order)
    const message = result._tag === "Judged" ? result.ending.message : ""
    const answers = together(round.answered.at(-1)?.answers ?? [], parseAnswers(message, answerable(standing)))
    const files = yield* protectedFiles(
      driving.driver,
      agentsOf(number),
      worktreeOf(driving),
      driving.settings.protect
    )
    const event = { round: number, agent, answers, protectedFiles: files }
    return yield* record(driving, [{ _tag: "RoundAnswered", ...event }])
  }
)

/** Puts the worktree back to where the round began. */
export const restore = Effect.fn("Turns.restore")(function*(driving: Driving, number: number) {
  const range = around(driving.driver, agentsOf(number))
  if (range === null) return yield* Effect.die(new Error("a round without a snapshot had no agent that writes"))
  yield* (yield* Snapshots).restore(driving.run.ref, worktreeOf(driving), range.first)
  return yield* record(driving, [{ _tag: "WorktreeRestored", round: number, snapshot: range.first }])
})

/** Commits the work of a round. */
export const commitFixes = Effect.fn("Turns.commitFixes")(
  function*(driving: Driving, standing: Standing, number: number, agent: number) {
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
    const { commit, output } = yield* (yield* Commits).commitAll(worktreeOf(driving), message)
    const said = yield* keepLong(run.ref, output)
    return yield* record(driving, [{ _tag: "FixesCommitted", round: number, agent, commit, output: said }])
  }
)

const redText = Effect.fnUntraced(function*(driving: Driving, number: number) {
  const red = driving.driver.state.tests.findLast(({ started }) => started.round === number)
  const exit = red?.standing._tag === "Finished" ? red.standing.finished.exit : null
  if (red === undefined || exit === 0) return "git refused to commit"
  const ended = exit === null ? "was killed for its time" : `exited ${exit}`
  return `${red.started.command} ${ended}:\n${yield* tailOfTest(driving, red.started.test)}`
})

/** The text of a mark: which test is red, or which patterns were implemented. */
const reasonOf = Effect.fnUntraced(function*(driving: Driving, number: number, mark: RoundMark) {
  if (mark === "AddressFailed") return yield* redText(driving, number)
  if (mark !== "RetroChanges") return ""
  const reader = lastOf(driving.driver.state, number, taskIdOf(number, { _tag: "Retro" }))
  return reader?.standing._tag === "Finished" ? reader.standing.finished.message.text : "patterns"
})

/** Records that the mark of a round is about to be set. */
export const conclude = Effect.fn("Turns.conclude")(function*(driving: Driving, round: number, mark: RoundMark) {
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
export const mark = Effect.fn("Turns.mark")(function*(driving: Driving, number: number, name: RoundMark) {
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
