// Round: the policy of plan runs: what it decides from, and what it does in a round, which the log calls a cycle.
import { Clock, Effect, Fiber, Result } from "effect"
import { askForResult } from "../../agent/AskForResult.ts"
import { usageOf } from "../../agent/State.ts"
import { refreshDriver } from "../../agent/TaskLog.ts"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import type { SignalName } from "../../platform/Process.ts"
import { sameDigest } from "../../run/Event.ts"
import { sameContent } from "../../run/Identity.ts"
import type { Outcome } from "../../run/Outcome.ts"
import { RunStore } from "../../run/RunStore.ts"
import { drivenUntil } from "../Budgets.ts"
import { commitMessage, defaultTemplate } from "../Commits.ts"
import { countToRound, on, over, protectedFiles, record, restore, type Turn } from "../Drive.ts"
import { commonEnd, human } from "../Ends.ts"
import { answered, commit, interrupted, unlessProtected, warn } from "../Kernel.ts"
import { caughtUp, isSignal, waitFor } from "../Stop.ts"
import { runTest } from "../TestRuns.ts"
import { taskBlocked } from "../words.ts"
import { decide, type Decision, type End, type View } from "./Decide.ts"
import { cycleOf, markedBy, type PlanDrive, planNow, wantedPlan, writePlan } from "./Drive.ts"
import type { AcceptCause, CycleCause, NamedTask } from "./Event.ts"
import { workOrder } from "./Orders.ts"
import type { PlanOutcome } from "./Outcome.ts"
import { analysis, instructionsFor, review, type Unfinished } from "./Reviews.ts"
import { decideSettings } from "./Settings.ts"
import { claimed, type CycleState, firstUnmarked } from "./State.ts"
import { claims, founded, workStepOf } from "./Steps.ts"
import { inPlay } from "./TaskChoice.ts"
import type { PlanDocument } from "./file/Document.ts"
import { markDone, markPlanDone, writeUnresolved } from "./file/Edit.ts"
import { isDone, type Plan } from "./file/Plan.ts"

// What the driver of a plan does in a cycle beside asking agents and running tests.

/** Begins a cycle about some tasks. */
export const startRound = Effect.fn("Round.startRound")(
  function*(drive: PlanDrive, cycle: number, tasks: ReadonlyArray<NamedTask>) {
    const { document } = yield* planNow(drive)
    const plan = yield* (yield* RunStore).keepText(drive.run.ref, document.text)
    const content = yield* presentIdentity(drive.run.manifest)
    return yield* record(drive, [{ _tag: "CycleStarted", cycle, plan, tasks, content }])
  }
)

/** Whether the plan's file holds what the cycle began with, wherever it lies and whatever git knows of it. */
const isUntouched = Effect.fnUntraced(function*({ run }: PlanDrive, cycle: CycleState, { text }: PlanDocument) {
  const { plan } = cycle.unresolved ?? cycle.started
  return sameDigest(plan, yield* (yield* RunStore).keepText(run.ref, text))
})

/** The plan's file as a person calls it: from the worktree on, where it lies there. */
const nameOf = ({ file, run: { manifest: { worktree } } }: PlanDrive): string =>
  file.startsWith(`${worktree}/`) ? file.slice(worktree.length + 1) : file

/** What the implementer's answer claims; nothing where the worktree is as it was when work on the tasks began. */
const claimsOf = Effect.fnUntraced(function*(drive: PlanDrive, plan: Plan, number: number, message: string) {
  const { started } = yield* cycleOf(drive, number)
  const { content: before } = firstUnmarked(drive.driver.state)?.started ?? started
  const { problems, tasks } = founded(plan, claims(message, started.tasks.map(({ index }) => index)))
  const now = yield* presentIdentity(drive.run.manifest)
  return sameContent(before, now) === "Same"
    ? { tasks: [], problems: [...problems, "the worktree is as it was before"] }
    : { tasks, problems }
})

/** Takes an agent's accepted work: which tasks it claims, and which protected files it changed. */
const answer = Effect.fn("Round.answer")(
  function*(drive: PlanDrive, number: number, agent: number) {
    const step = workStepOf(drive.driver.state.agents.agents[agent - 1]?.started.taskId ?? "")
    const cycle = yield* cycleOf(drive, number)
    const { document, plan } = yield* planNow(drive)
    const order = yield* workOrder(drive, plan, cycle, step, agent - 1, "")
    // The agent has ended: this tells its whole answer again and starts nothing.
    const { result } = yield* askForResult(drive.driver, order)
    const message = result._tag === "Judged" ? result.ending.message : ""
    const { problems, tasks } = step._tag === "Implement"
      ? yield* claimsOf(drive, plan, number, message)
      : { tasks: [], problems: [] }
    const files = yield* protectedFiles(drive)
    const plans = (yield* isUntouched(drive, cycle, document)) ? [] : [nameOf(drive)]
    const event = { cycle: number, agent, tasks, problems, protectedFiles: [...plans, ...files] }
    return yield* record(drive, [{ _tag: "WorkTaken", ...event }])
  }
)

/** Accepts the work of a cycle. */
export const accept = Effect.fn("Round.accept")(function*(drive: PlanDrive, cycle: number, because: AcceptCause) {
  const content = yield* presentIdentity(drive.run.manifest)
  return yield* record(drive, [{ _tag: "CycleAccepted", cycle, because, content }])
})

/** Closes a cycle. */
export const close = (drive: PlanDrive, cycle: number, because: CycleCause) =>
  record(drive, [{ _tag: "CycleClosed", cycle, because }])

/** Marks the plan as done. This run's own note of an unresolved review is removed: it is no longer true. */
const finished = ({ driver: { state: { cycles } } }: PlanDrive, document: PlanDocument, now: number) => {
  const isOurs = cycles.some(({ unresolved }) => unresolved !== null)
  const resolved = isOurs ? Result.getOrElse(writeUnresolved(document, "", now), () => document) : document
  return Effect.fromResult(markPlanDone(resolved, now))
}

/**
 * Marks the tasks of a cycle in the plan's file. A plan that says something else by now is left alone, unless it says
 * of all of them that they are done: a call that was cut off has written that, or a person.
 */
export const mark = Effect.fn("Round.mark")(
  function*(drive: PlanDrive, number: number, tasks: ReadonlyArray<number>) {
    const cycle = yield* cycleOf(drive, number)
    const { bytes, document, plan } = yield* planNow(drive)
    const isWritten = tasks.every((index) => plan.tasks[index]?.done === true)
    if (!isWritten && !(yield* isUntouched(drive, cycle, document))) {
      return yield* close(drive, number, "PlanChanged")
    }
    const now = yield* Clock.currentTimeMillis
    const marked = yield* Effect.fromResult(markDone(document, tasks, now))
    const written = isDone(marked.plan) ? yield* finished(drive, marked, now) : marked
    yield* countToRound(drive, number, { _tag: "BeforeMarks" })
    const digest = yield* writePlan(drive, bytes, written)
    yield* countToRound(drive, number, { _tag: "AfterMarks" })
    return yield* record(drive, [{ _tag: "TasksMarked", cycle: number, tasks, plan: digest }])
  }
)

/** The template where `--commit-fixes` names none. */
const ownTemplate = "Implement {count} task(s) of a plan, round {round}"

/** The message of the commit of a cycle's work. */
const messageFor = Effect.fnUntraced(function*(drive: PlanDrive, number: number) {
  const { run, settings: { commitFixes: asked } } = drive
  const cycle = yield* cycleOf(drive, number)
  const done = claimed(cycle)
  return commitMessage(asked === null || asked === defaultTemplate ? ownTemplate : asked, {
    level: "plan",
    batch: number,
    round: number,
    run: run.ref.runId,
    answers: cycle.started.tasks.filter(({ index }) => done.includes(index)).map(({ index, title }) => ({
      fingerprint: `task ${index}`,
      answer: "fixed",
      why: "implemented, tested and reviewed",
      title
    }))
  })
})

/** Writes the last review of a cycle into the plan, because no fix is left. */
export const unresolved = Effect.fn("Round.unresolved")(function*(drive: PlanDrive, number: number) {
  const { reviews } = yield* cycleOf(drive, number)
  const { bytes, document } = yield* planNow(drive)
  const text = reviews.at(-1)?.review.text ?? ""
  const written = yield* Effect.fromResult(writeUnresolved(document, text, yield* Clock.currentTimeMillis))
  const plan = yield* writePlan(drive, bytes, written)
  return yield* record(drive, [{ _tag: "UnresolvedWritten", cycle: number, plan }])
})

// One turn of a plan run: what is decided from what is durable, and done.

/** What is decided from beside the log: what the plan and the worktree hold now, and what has been used. */
export const viewOf = Effect.fn("Round.viewOf")(function*(drive: PlanDrive) {
  const { asked, driver: { state }, id, run } = drive
  const plan = yield* wantedPlan(drive)
  const { input, output } = usageOf(state.agents)
  const used = {
    rounds: state.cycles.length,
    time: drivenUntil(state, yield* Clock.currentTimeMillis),
    tokens: input + output
  }
  const content = yield* presentIdentity(run.manifest)
  const done = plan.tasks.flatMap((task, index) => task.done ? [index] : [])
  return { inPlay: inPlay(plan, asked.wanted, markedBy(drive)), done, content, used, driver: id } satisfies View
})

/** What is decided from all that has been committed so far. */
const look = Effect.fn("Round.look")(function*(before: PlanDrive) {
  const drive: PlanDrive = { ...before, driver: yield* refreshDriver(before.driver) }
  const view = yield* viewOf(drive)
  return { drive, decision: decide(drive.driver.state, view, decideSettings(drive.asked)) }
})

const blocked = (problem: string): Outcome =>
  human("TaskBlocked", taskBlocked({ problems: [problem], issues: null, protectedFiles: [] }))

/** The outcome of a call that decided to end. */
export const endOutcome = (drive: PlanDrive, end: End): PlanOutcome => {
  switch (end._tag) {
    case "Done":
      return { _tag: "DoneAccepted" }
    case "Limit":
      return { _tag: "StuckCapReached", action: "AddressBatch", key: "rounds" }
    case "NothingDone":
      return blocked(`the implementer names no task as done: ${end.problems.join("; ")}`)
    case "Moved":
      return blocked("the code was changed while it was reviewed, again and again")
    case "PlanChanged":
      return blocked(
        `${drive.file} was changed while its tasks were worked on, so none of them was marked as done; a task that says ` +
          "`done: true` there counts as done, whoever wrote that"
      )
    default: {
      const cycle = end._tag === "TestsRed" ? drive.driver.state.cycles[end.round - 1] : undefined
      const restored = (cycle?.restored ?? null) !== null
      return commonEnd(drive, end, { restored, output: cycle?.refusal ?? "" })
    }
  }
}

const ask = Effect.fnUntraced(
  function*(drive: PlanDrive, { after, round, task }: Of<"Ask">, signals: Fiber.Fiber<SignalName>) {
    const cycle = yield* cycleOf(drive, round)
    const { plan } = yield* planNow(drive)
    const fixes = task._tag === "Fix" ? instructionsFor(drive, plan, cycle, task.round) : Effect.succeed("")
    const asked = Effect.flatMap(fixes, (words) => workOrder(drive, plan, cycle, task, after, words)).pipe(
      Effect.flatMap((order) => askForResult(drive.driver, order))
    )
    const ended = yield* waitFor(signals, asked)
    if (isSignal(ended)) return yield* interrupted(drive, ended)
    return answered({ ...drive, driver: yield* refreshDriver(ended.driver) }, ended.result)
  }
)

type Of<Tag extends Decision["_tag"]> = Extract<Decision, { readonly _tag: Tag }>

/** A review or the analysis of one, recorded by what asks for it; what came instead ends the call. */
const read = Effect.fnUntraced(function*<E, R>(
  before: PlanDrive,
  signals: Fiber.Fiber<SignalName>,
  reading: (plan: Plan) => Effect.Effect<{ readonly drive: PlanDrive; readonly unfinished: Unfinished | null }, E, R>
) {
  const ended = yield* waitFor(signals, reading((yield* planNow(before)).plan))
  if (isSignal(ended)) return yield* interrupted(before, ended)
  if (ended.unfinished === null) return on(ended.drive)
  return answered(yield* caughtUp(ended.drive), ended.unfinished)
})

const test = Effect.fnUntraced(
  function*(drive: PlanDrive, { command, round, running }: Of<"Test">, signals: Fiber.Fiber<SignalName>) {
    const ended = yield* waitFor(signals, runTest(drive, round, command, running))
    // What a test changes in the worktree belongs to its round.
    if (round > 0) yield* countToRound(drive, round, { _tag: "AfterTests" })
    return isSignal(ended) ? yield* interrupted(drive, ended) : on(ended)
  }
)

const act = Effect.fnUntraced(function*(drive: PlanDrive, decision: Decision, signals: Fiber.Fiber<SignalName>) {
  switch (decision._tag) {
    case "Warn":
      return on(yield* warn(drive, decision))
    case "StartRound": {
      const { round, tasks } = decision
      return yield* unlessProtected(drive, Effect.map(startRound(drive, round, tasks), on))
    }
    case "Ask":
      return yield* ask(drive, decision, signals)
    case "Answer":
      return on(yield* answer(drive, decision.round, decision.agent))
    case "Test":
      return yield* test(drive, decision, signals)
    case "Restore":
      return on(yield* restore(drive, decision.round))
    case "Review": {
      const cycle = yield* cycleOf(drive, decision.round)
      return yield* read(drive, signals, (plan) => review(drive, plan, cycle, decision))
    }
    case "Analyse": {
      const cycle = yield* cycleOf(drive, decision.round)
      return yield* read(drive, signals, (plan) => analysis(drive, plan, cycle))
    }
    case "Accept": {
      const { because, round } = decision
      return yield* unlessProtected(drive, Effect.map(accept(drive, round, because), on))
    }
    case "Mark":
      return on(yield* mark(drive, decision.round, decision.tasks))
    case "Commit":
      return yield* commit(drive, decision, yield* messageFor(drive, decision.round), signals)
    case "WriteUnresolved":
      return on(yield* unresolved(drive, decision.round))
    case "Close":
      return on(yield* close(drive, decision.round, decision.because))
    case "Converge":
      return over(drive, null)
    case "End":
      return over(drive, endOutcome(drive, decision.end))
  }
})

/** What plan runs add to the loop. A call that is over without an outcome converges the plan's code. */
export const policy = {
  look,
  act: (drive: PlanDrive, decision: Decision, signals: Fiber.Fiber<SignalName>) =>
    Effect.map(act(drive, decision, signals), (turn): Turn<PlanDrive, PlanOutcome | null> => turn)
}
