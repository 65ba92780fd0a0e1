// Round: the policy of plan runs: what it decides from, and what it does in a round, which the log calls a cycle.
//
// A round works on the tasks in play: pending, wanted, and waiting for nothing but each other. It ends when the tasks
// that were done are marked in the plan's file, or when only a person can go on. The run has one log:
//
//   CycleStarted       The tasks, the digest of the plan's file, and what the worktree holds.
//   WorkTaken          A writing agent's accepted work: `implement`, then `test`, later `fix-1`, `fix-2` ... The
//                      implementer names the tasks that it has done; if it names none, or has changed nothing, it is
//                      asked again, three times in all. Protected files, the plan's among them, close the round.
//   TestStarted        The project's tests, after `test` and after each fix. Red ones are fixed as in `converge`.
//   CodeReviewed       A verdict, with the content that the reviewer read.
//   ReviewAnalysed     Of the first review only: what to fix, and which issues belong to tasks that are still pending.
//                      Later instructions are the review's own.
//   CycleAccepted      The last review is acceptable, or all its issues are out of scope.
//   TasksMarked        The plan's file says that the tasks are done.
//   FixesCommitted     With `--commit-fixes`. If git refuses, the tasks stay marked.
//   UnresolvedWritten  `--rounds` fixes were not enough: the last review is written into the plan's file.
//   CycleClosed        Why the round is over.
//
// Work is accepted only while its review is fresh: no writing agent has worked since, and the worktree holds what the
// reviewer read and what the tests were last green on. Otherwise it is tested and reviewed again, three times in all,
// and then the round is closed as moved. So no task is marked for code that is known to differ from what was reviewed.
//
// Only this program marks tasks, only after CycleAccepted, and only in a plan's file that is as the round began with:
// one that changed meanwhile is left alone, and a person looks at it. A file is written before its event, and its text
// is kept before that. A call that follows one that was killed in between knows that text again, and records the marks.
// Everything else continues as in `converge`: agents and tests are recorded before they start, each judgement before
// what follows from it, and each turn is decided from the log alone, the plan's file and the worktree.
//
// A fix that brings back a content which a review has refused is a circle and closes the round, so fixes, reviews and
// the questions of one task all have a limit. When nothing is in play, the call is over, or `--then converge` drives a
// run of reviews over the plan's code.
import { Clock, Effect, Result } from "effect"
import { tokensOf } from "../../agent/PromptBudget.ts"
import { usageOf } from "../../agent/State.ts"
import { refreshDriver } from "../../agent/TaskLog.ts"
import { Git } from "../../code/Git.ts"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import { sameContent } from "../../run/Identity.ts"
import { header } from "../../run/Outcome.ts"
import { RunStore } from "../../run/RunStore.ts"
import { someNames } from "../../text/Untrusted.ts"
import { used } from "../Budgets.ts"
import { commitMessage, defaultTemplate } from "../Commits.ts"
import type { Unfinished } from "../../agent/AskForReview.ts"
import { countToRound, on, over, protectedFiles, record, restore, roundOf } from "../Drive.ts"
import { commonEnd, human } from "../Ends.ts"
import { answered, answerOf, ask, commit, interrupted, test, unlessProtected, warn } from "../Kernel.ts"
import { caughtUp, isSignal, waitFor } from "../Stop.ts"
import { numberOf, wordOf } from "../Tasks.ts"
import { converge } from "../converge/Converge.ts"
import { claims, founded } from "./Claims.ts"
import { answerEvents, askedUpTo, decide, type Decision, type End, type View } from "./Decide.ts"
import { isOwn, isWritten, markedBy, type PlanDrive, planNow, wantedPlan, writePlan } from "./Drive.ts"
import type { AcceptCause, CycleCause } from "./Event.ts"
import { workOrder } from "./Orders.ts"
import { obstacleOf } from "./OpenPlan.ts"
import { planHeader, type PlanOutcome } from "./Outcome.ts"
import { analysis, instructionsFor, review } from "./Reviews.ts"
import { decideSettings } from "./Settings.ts"
import { claimed, firstUnmarked } from "./State.ts"
import { inPlay } from "./TaskChoice.ts"
import type { PlanDocument } from "./file/Document.ts"
import { markDone, markPlanDone, writeUnresolved } from "./file/Edit.ts"
import { isDone, type Plan } from "./file/Plan.ts"

// What the driver of a plan does in a round beside asking agents and running tests.

/** Begins a round about some tasks; those in `claimed` are implemented already. */
export const startRound = Effect.fn("Round.startRound")(
  function*(drive: PlanDrive, { claimed: there, round: cycle, tasks }: Of<"StartRound">) {
    const { document } = yield* planNow(drive)
    const plan = yield* (yield* RunStore).keepText(drive.run.ref, document.text)
    const content = yield* presentIdentity(drive.run.manifest)
    const before = drive.driver.state.rounds.at(-1)?.answered.findLast(({ tasks }) => tasks.length > 0)
    return yield* record(drive, [
      { _tag: "CycleStarted", cycle, plan, tasks, content },
      ...(before === undefined || there.length === 0
        ? []
        : [{ _tag: "WorkTaken", cycle, agent: before.agent, tasks: there, problems: [], protectedFiles: [] } as const])
    ])
  }
)

/** The name of the plan's file for people: relative to the worktree, if it lies there. */
const nameOf = ({ file, run: { manifest: { worktree } } }: PlanDrive): string =>
  file.startsWith(`${worktree}/`) ? file.slice(worktree.length + 1) : file

/** What the implementer's answer claims; nothing if the worktree has not changed since work on the tasks began. */
const claimsOf = Effect.fnUntraced(function*(drive: PlanDrive, plan: Plan, number: number, message: string) {
  const { started } = yield* roundOf(drive, number)
  const { content: before } = firstUnmarked(drive.driver.state)?.started ?? started
  const { problems, tasks } = founded(plan, claims(message, started.tasks.map(({ index }) => index)))
  const now = yield* presentIdentity(drive.run.manifest)
  return sameContent(before, now) === "Same"
    ? { tasks: [], problems: [...problems, "the working tree is unchanged"] }
    : { tasks, problems }
})

/** Takes an agent's accepted work: which tasks it claims, and which protected files it changed. */
const answer = Effect.fn("Round.answer")(
  function*(drive: PlanDrive, number: number, agent: number) {
    const task = wordOf(drive.driver.state.agents.agents[agent - 1]?.started.taskId ?? "")
    const round = yield* roundOf(drive, number)
    const { document, plan } = yield* planNow(drive)
    const { problems, tasks } = task === "implement"
      ? yield* claimsOf(drive, plan, number, yield* answerOf(drive, agent))
      : { tasks: [], problems: [] }
    const files = yield* protectedFiles(drive)
    const plans = (yield* isOwn(drive, round, document)) ? [] : [nameOf(drive)]
    const event = { cycle: number, agent, tasks, problems, protectedFiles: [...plans, ...files] }
    return yield* record(drive, [{ _tag: "WorkTaken", ...event }])
  }
)

/** Accepts the work of a round. */
export const accept = Effect.fn("Round.accept")(function*(drive: PlanDrive, cycle: number, because: AcceptCause) {
  const content = yield* presentIdentity(drive.run.manifest)
  return yield* record(drive, [{ _tag: "CycleAccepted", cycle, because, content }])
})

/** Closes a round. */
export const close = (drive: PlanDrive, cycle: number, because: CycleCause) =>
  record(drive, [{ _tag: "CycleClosed", cycle, because }])

/** Marks the plan as done. This run's own note of an unresolved review is removed: it is no longer true. */
const finished = ({ driver: { state: { rounds } } }: PlanDrive, document: PlanDocument, now: number) => {
  const isOurs = rounds.some(({ unresolved }) => unresolved !== null)
  const resolved = isOurs ? Result.getOrElse(writeUnresolved(document, "", now), () => document) : document
  return Effect.fromResult(markPlanDone(resolved, now))
}

/** Marks the tasks of a round in the plan's file. A plan that somebody else has changed meanwhile is left alone. */
export const mark = Effect.fn("Round.mark")(
  function*(drive: PlanDrive, number: number, tasks: ReadonlyArray<number>) {
    const round = yield* roundOf(drive, number)
    const { bytes, document } = yield* planNow(drive)
    if (!(yield* isOwn(drive, round, document))) return yield* close(drive, number, "PlanChanged")
    const now = yield* Clock.currentTimeMillis
    const marked = yield* Effect.fromResult(markDone(document, tasks, now))
    const written = isDone(marked.plan) ? yield* finished(drive, marked, now) : marked
    yield* countToRound(drive, number, { _tag: "BeforeMarks" })
    const digest = yield* writePlan(drive, number, bytes, written)
    yield* countToRound(drive, number, { _tag: "AfterMarks" })
    return yield* record(drive, [{ _tag: "TasksMarked", cycle: number, tasks, plan: digest }])
  }
)

/** The template for `--commit-fixes` without one. */
const ownTemplate = "Implement {count} task(s) of a plan, round {round}"

const messageFor = Effect.fnUntraced(function*(drive: PlanDrive, number: number) {
  const { run, settings: { commitFixes: asked } } = drive
  const { started, ...round } = yield* roundOf(drive, number)
  const done = claimed({ started, ...round })
  return commitMessage(asked === null || asked === defaultTemplate ? ownTemplate : asked, {
    level: "plan",
    batch: number,
    round: number,
    run: run.ref.runId,
    answers: started.tasks.filter(({ index }) => done.includes(index)).map(({ index, title }) => ({
      fingerprint: `task ${index}`,
      answer: "fixed",
      why: "implemented, tested and reviewed",
      title
    }))
  })
})

/** Writes the last review of a round into the plan, because no fix is left. */
export const unresolved = Effect.fn("Round.unresolved")(function*(drive: PlanDrive, number: number) {
  const round = yield* roundOf(drive, number)
  const { bytes, document } = yield* planNow(drive)
  if (!(yield* isOwn(drive, round, document))) return yield* close(drive, number, "PlanChanged")
  const text = round.reviews.at(-1)?.review.text ?? ""
  const written = yield* Effect.fromResult(writeUnresolved(document, text, yield* Clock.currentTimeMillis))
  const plan = yield* writePlan(drive, number, bytes, written)
  return yield* record(drive, [{ _tag: "UnresolvedWritten", cycle: number, plan }])
})

// One turn of a plan run: what is decided from what is durable, and done.

/** What is decided from beside the log: what the plan and the worktree hold now, and what has been used. */
export const viewOf = Effect.fn("Round.viewOf")(function*(drive: PlanDrive) {
  const { asked, driver: { state }, id, run } = drive
  const document = yield* wantedPlan(drive)
  const { plan } = document
  const last = state.rounds.at(-1)
  return {
    inPlay: inPlay(plan, asked.wanted, markedBy(drive)),
    done: plan.tasks.flatMap((task, index) => task.done ? [index] : []),
    isWritten: last !== undefined && (yield* isWritten(drive, last, document)),
    content: yield* presentIdentity(run.manifest),
    used: used(state, tokensOf(usageOf(state.agents)), yield* Clock.currentTimeMillis),
    driver: id,
    again: drive.options.again === true
  } satisfies View
})

const look = Effect.fn("Round.look")(function*(drive: PlanDrive) {
  return { drive, decision: decide(drive.driver.state, yield* viewOf(drive), decideSettings(drive.asked)) }
})

/** The code was changed while it was reviewed: which files, since the review before the last was read. */
const moved = Effect.fnUntraced(function*({ driver: { state }, run: { manifest } }: PlanDrive, round: number) {
  const { reviewedAt = [] } = state.rounds[round - 1] ?? {}
  const since = reviewedAt.at(-2) ?? reviewedAt.at(-1)
  const files = since === undefined ? [] : yield* (yield* Git).changedAfter(manifest.worktree, since)
  const named = files.length === 0 ? "" : `: ${someNames(files)}`
  return human(
    { _tag: "ChangedMeanwhile" },
    `the code was changed while it was reviewed, again and again${named} [leave it unchanged until the call ends]`
  )
})

/** The outcome of a call that decided to end. */
export const endOutcome = Effect.fnUntraced(function*(drive: PlanDrive, end: End) {
  return end._tag === "Moved" ? yield* moved(drive, end.round) : outcomeOf(drive, end)
})

const outcomeOf = (drive: PlanDrive, end: Exclude<End, { readonly _tag: "Moved" }>): PlanOutcome => {
  switch (end._tag) {
    case "Done":
      return { _tag: "DoneAccepted" }
    case "Limit":
      return { _tag: "StuckCapReached", action: "AddressBatch", key: "rounds" }
    case "NothingDone":
      return human({ _tag: "NothingDone" }, `the implementer names no task as done: ${end.problems.join("; ")}`)
    case "PlanChanged":
      return human(
        { _tag: "ChangedMeanwhile" },
        `${drive.file} was changed while its tasks were worked on, so none of them was marked as done; a task that says ` +
          "`done: true` there counts as done"
      )
    default:
      return commonEnd(drive.driver.state, end)
  }
}

type Of<Tag extends Decision["_tag"]> = Extract<Decision, { readonly _tag: Tag }>

const asking = Effect.fnUntraced(
  function*(drive: PlanDrive, { round: number, task }: Of<"Ask">) {
    const round = yield* roundOf(drive, number)
    const { plan } = yield* planNow(drive)
    const after = askedUpTo(drive.driver.state, round, task)
    const fixes = task.startsWith("fix-") ? instructionsFor(drive, plan, round, numberOf(task)) : Effect.succeed("")
    const order = Effect.flatMap(fixes, (words) => workOrder(drive, plan, round, task, after, words))
    return yield* ask(drive, yield* order)
  }
)

/** Asks for a review or an analysis, which `reading` records; an agent that did not finish ends the call. */
const read = Effect.fnUntraced(function*<E, R>(
  before: PlanDrive,
  reading: (plan: Plan) => Effect.Effect<{ readonly drive: PlanDrive; readonly unfinished: Unfinished | null }, E, R>
) {
  const ended = yield* waitFor(reading((yield* planNow(before)).plan))
  if (isSignal(ended)) return yield* interrupted(before, ended)
  if (ended.unfinished === null) return on(ended.drive)
  return answered(yield* caughtUp(ended.drive), ended.unfinished)
})

/** Converges the code of a plan whose tasks are done, and records how that ended. */
const converged = Effect.fnUntraced(function*(drive: PlanDrive) {
  const { asked, cwd, driver, options: { call: _call, ...options }, run: { manifest }, settings } = drive
  // Another process may have committed meanwhile.
  const obstacle = yield* obstacleOf(asked, manifest, driver.state)
  if (obstacle !== null) return over(drive, obstacle)
  const isStopped = Effect.map(refreshDriver(driver), ({ state }) => state.stopAsked)
  const { outcome, run } = yield* converge(settings, cwd, { ...options, isStopped })
  const event = { _tag: "PlanConverged", run: run.ref.runId, outcome: header(outcome), head: run.head } as const
  return over(yield* record(yield* caughtUp(drive), [event]), outcome)
})

const act = Effect.fnUntraced(function*(drive: PlanDrive, decision: Decision) {
  switch (decision._tag) {
    case "Warn":
      return on(yield* warn(drive, decision))
    case "StartRound":
      return yield* unlessProtected(drive, Effect.map(startRound(drive, decision), on))
    case "Ask":
      return yield* asking(drive, decision)
    case "TakeAnswer":
      return on(yield* record(drive, answerEvents(drive.driver.state, decision.answer, yield* viewOf(drive))))
    case "Answer":
      return on(yield* answer(drive, decision.round, decision.agent))
    case "Test":
      return yield* test(drive, decision)
    case "Restore":
      return on(yield* restore(drive, decision.round))
    case "Review": {
      const round = yield* roundOf(drive, decision.round)
      return yield* read(drive, (plan) => review(drive, plan, round, decision))
    }
    case "Analyse": {
      const round = yield* roundOf(drive, decision.round)
      return yield* read(drive, (plan) => analysis(drive, plan, round))
    }
    case "Accept": {
      const { because, round } = decision
      return yield* unlessProtected(drive, Effect.map(accept(drive, round, because), on))
    }
    case "Mark":
      return on(yield* mark(drive, decision.round, decision.tasks))
    case "Commit":
      return yield* commit(drive, decision, yield* messageFor(drive, decision.round))
    case "WriteUnresolved":
      return on(yield* unresolved(drive, decision.round))
    case "Close":
      return on(yield* close(drive, decision.round, decision.because))
    case "Converge":
      return yield* converged(drive)
    case "End":
      return over(drive, yield* endOutcome(drive, decision.end))
  }
})

/** What plan runs add to the loop. */
export const policy = { look, act, header: planHeader }
