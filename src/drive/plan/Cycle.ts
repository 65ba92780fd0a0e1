// Cycle: one turn of a plan run.
import { Clock, Effect, Fiber, Result } from "effect"
import { type ResultOutcome, askForResult } from "../../agent/AskForResult.ts"
import { usageOf } from "../../agent/State.ts"
import { refreshDriver } from "../../agent/TaskLog.ts"
import { presentIdentity } from "../../code/PresentIdentity.ts"
import type { SignalName } from "../../platform/Process.ts"
import { sameDigest } from "../../run/Event.ts"
import { sameContent } from "../../run/Identity.ts"
import { keepLong } from "../../run/LongText.ts"
import { RunStore } from "../../run/RunStore.ts"
import { drivenUntil } from "../Budgets.ts"
import { commitMessage, Commits, defaultTemplate } from "../Commits.ts"
import { agentFailedEnd, consentEnd, gitChangedEnd, otherBranch } from "../Ends.ts"
import { caughtUp, isSignal, stopWork, waitFor } from "../Stop.ts"
import { runTest } from "../TestRuns.ts"
import { countToRound, protectedFiles, record, takeBackRound } from "../Work.ts"
import { decide, type Decision, type View } from "./Decide.ts"
import {
  cycleOf,
  markedBy,
  on,
  over,
  planNow,
  shown,
  type Turn,
  wantedPlan,
  type Working,
  writePlan
} from "./Driver.ts"
import { asImplement, endOutcome } from "./Ends.ts"
import type { AcceptCause, CycleCause, NamedTask } from "./Event.ts"
import { workOrder } from "./Orders.ts"
import * as Analyses from "./Reviews.ts"
import * as Reviews from "./Reviews.ts"
import { decideSettings } from "./Settings.ts"
import { claimed, type CycleState, firstUnmarked } from "./State.ts"
import { claims, founded, type WorkStep } from "./Steps.ts"
import { inPlay } from "./TaskChoice.ts"
import type { PlanDocument } from "./file/Document.ts"
import { markDone, markPlanDone, writeUnresolved } from "./file/Edit.ts"
import { isDone, type Plan } from "./file/Plan.ts"

// What the driver of a plan does in a cycle beside asking agents and running tests.

/** Begins a cycle about some tasks. */
export const startCycle = Effect.fn("Cycle.startCycle")(
  function*(working: Working, cycle: number, tasks: ReadonlyArray<NamedTask>) {
    const { document } = yield* planNow(working)
    const plan = yield* (yield* RunStore).keepText(working.run.ref, document.text)
    const content = yield* presentIdentity(working.run.manifest)
    return yield* record(working, [{ _tag: "CycleStarted", cycle, plan, tasks, content }])
  }
)

/** Whether the plan's file holds what the cycle began with, wherever it lies and whatever git knows of it. */
const isUntouched = Effect.fnUntraced(function*({ run }: Working, cycle: CycleState, { text }: PlanDocument) {
  const { plan } = cycle.unresolved ?? cycle.started
  return sameDigest(plan, yield* (yield* RunStore).keepText(run.ref, text))
})

/** The plan's file as a person calls it: from the worktree on, where it lies there. */
const nameOf = ({ file, run: { manifest: { worktree } } }: Working): string =>
  file.startsWith(`${worktree}/`) ? file.slice(worktree.length + 1) : file

/** What the implementer's answer claims; nothing where the worktree is as it was when work on the tasks began. */
const claimsOf = Effect.fnUntraced(function*(working: Working, plan: Plan, number: number, message: string) {
  const { started } = yield* cycleOf(working, number)
  const { content: before } = firstUnmarked(working.driver.state)?.started ?? started
  const { problems, tasks } = founded(plan, claims(message, started.tasks.map(({ index }) => index)))
  const now = yield* presentIdentity(working.run.manifest)
  return sameContent(before, now) === "Same"
    ? { tasks: [], problems: [...problems, "the worktree is as it was before"] }
    : { tasks, problems }
})

/** Takes an agent's accepted work: which tasks it claims, and which protected files it changed. */
const take = Effect.fn("Cycle.take")(
  function*(working: Working, number: number, step: WorkStep, agent: number) {
    const cycle = yield* cycleOf(working, number)
    const { document, plan } = yield* planNow(working)
    const order = yield* workOrder(working, plan, cycle, step, agent - 1, "")
    // The agent has ended: this tells its whole answer again and starts nothing.
    const { result } = yield* askForResult(working.driver, order)
    const message = result._tag === "Judged" ? result.ending.message : ""
    const { problems, tasks } = step._tag === "Implement"
      ? yield* claimsOf(working, plan, number, message)
      : { tasks: [], problems: [] }
    const { worktree } = working.run.manifest
    const files = yield* protectedFiles(working.run.ref, worktree, working.settings.protect)
    const plans = (yield* isUntouched(working, cycle, document)) ? [] : [nameOf(working)]
    const event = { cycle: number, agent, tasks, problems, protectedFiles: [...plans, ...files] }
    return yield* record(working, [{ _tag: "WorkTaken", ...event }])
  }
)

/** Puts the worktree back to where a cycle began. */
const restore = Effect.fn("Cycle.restore")(function*(working: Working, number: number) {
  const { to } = yield* takeBackRound(working.run.ref, working.run.manifest.worktree, number)
  return yield* record(working, [{ _tag: "WorktreeRestored", round: number, snapshot: to.number }])
})

/** Accepts the work of a cycle. */
export const accept = Effect.fn("Cycle.accept")(function*(working: Working, cycle: number, because: AcceptCause) {
  const content = yield* presentIdentity(working.run.manifest)
  return yield* record(working, [{ _tag: "CycleAccepted", cycle, because, content }])
})

/** Closes a cycle. */
export const close = (working: Working, cycle: number, because: CycleCause) =>
  record(working, [{ _tag: "CycleClosed", cycle, because }])

/** Marks the plan as done. This run's own note of an unresolved review is removed: it is no longer true. */
const finished = ({ driver: { state: { cycles } } }: Working, document: PlanDocument, now: number) => {
  const isOurs = cycles.some(({ unresolved }) => unresolved !== null)
  const resolved = isOurs ? Result.getOrElse(writeUnresolved(document, "", now), () => document) : document
  return Effect.fromResult(markPlanDone(resolved, now))
}

/**
 * Marks the tasks of a cycle in the plan's file. A plan that says something else by now is left alone, unless it says
 * of all of them that they are done: a call that was cut off has written that, or a person.
 */
export const mark = Effect.fn("Cycle.mark")(
  function*(working: Working, number: number, tasks: ReadonlyArray<number>) {
    const cycle = yield* cycleOf(working, number)
    const { bytes, document, plan } = yield* planNow(working)
    const isWritten = tasks.every((index) => plan.tasks[index]?.done === true)
    if (!isWritten && !(yield* isUntouched(working, cycle, document))) {
      return yield* close(working, number, "PlanChanged")
    }
    const now = yield* Clock.currentTimeMillis
    const marked = yield* Effect.fromResult(markDone(document, tasks, now))
    const written = isDone(marked.plan) ? yield* finished(working, marked, now) : marked
    const { ref, manifest: { worktree } } = working.run
    yield* countToRound(ref, worktree, number, { _tag: "BeforeMarks" })
    const digest = yield* writePlan(working, bytes, written)
    yield* countToRound(ref, worktree, number, { _tag: "AfterMarks" })
    return yield* record(working, [{ _tag: "TasksMarked", cycle: number, tasks, plan: digest }])
  }
)

/** The template where `--commit-fixes` names none. */
const ownTemplate = "Implement {count} task(s) of a plan, cycle {round}"

/** Commits the work of a cycle, with the plan's marks. */
const commit = Effect.fn("Cycle.commit")(function*(working: Working, number: number, agent: number) {
  const { run, settings } = working
  const refused = yield* otherBranch(working.driver.state, run.manifest.worktree)
  if (refused !== null) return over(working, refused)
  const cycle = yield* cycleOf(working, number)
  const done = claimed(cycle)
  const { commitFixes: asked } = settings
  const message = commitMessage(asked === null || asked === defaultTemplate ? ownTemplate : asked, {
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
  const { commit, output } = yield* (yield* Commits).commitAll(run.manifest.worktree, message)
  const said = yield* keepLong(run.ref, output)
  return on(yield* record(working, [{ _tag: "FixesCommitted", round: number, agent, commit, output: said }]))
})

/** Writes the last review of a cycle into the plan, because no fix is left. */
export const unresolved = Effect.fn("Cycle.unresolved")(function*(working: Working, number: number) {
  const { reviews } = yield* cycleOf(working, number)
  const { bytes, document } = yield* planNow(working)
  const text = reviews.at(-1)?.review.text ?? ""
  const written = yield* Effect.fromResult(writeUnresolved(document, text, yield* Clock.currentTimeMillis))
  const plan = yield* writePlan(working, bytes, written)
  return yield* record(working, [{ _tag: "UnresolvedWritten", cycle: number, plan }])
})

// One turn of a plan run: what is decided from what is durable, and done.

/** What is decided from beside the log: what the plan and the worktree hold now, and what has been used. */
export const viewOf = Effect.fn("Cycle.viewOf")(function*(working: Working) {
  const { asked, driver: { state }, id, run } = working
  const plan = yield* wantedPlan(working)
  const { input, output } = usageOf(state.agents)
  const used = {
    rounds: state.cycles.length,
    time: drivenUntil(state, yield* Clock.currentTimeMillis),
    tokens: input + output
  }
  const content = yield* presentIdentity(run.manifest)
  const done = plan.tasks.flatMap((task, index) => task.done ? [index] : [])
  return { inPlay: inPlay(plan, asked.wanted, markedBy(working)), done, content, used, driver: id } satisfies View
})

/** What is decided from all that has been committed so far. */
export const looked = Effect.fn("Cycle.looked")(function*(before: Working) {
  const working: Working = { ...before, driver: yield* refreshDriver(before.driver) }
  const view = yield* viewOf(working)
  return { working, decision: decide(working.driver.state, view, decideSettings(working.asked)) }
})

const aborted = { _tag: "DoneAborted" } as const

/** Waits for work that goes on without this process; a signal ends the call, and a person's signal the work too. */
const following = Effect.fnUntraced(function*<E, R>(
  before: Working,
  signals: Fiber.Fiber<SignalName>,
  work: Effect.Effect<Turn, E, R>
) {
  const ended = yield* waitFor(signals, shown(before, work))
  if (!isSignal(ended)) return ended
  const working = yield* caughtUp(before)
  return over(ended === "SIGINT" ? yield* stopWork(working, "Interrupt") : working, aborted)
})

/** What an agent that may write came to: most of it stands in the log, from which the next decision is made. */
const taken = (working: Working, result: ResultOutcome): Turn => {
  // A stop is recorded before it ends the agent. If one is recorded, the agent's own end says nothing.
  if (working.driver.state.stopAsked) return on(working)
  switch (result._tag) {
    case "Judged":
      return on(working)
    case "Halted":
      return over(working, agentFailedEnd(asImplement(working), result))
    case "GitStateChanged":
      return over(working, gitChangedEnd(asImplement(working), result.what))
    case "Stopped":
      return over(working, aborted)
  }
}

const work = Effect.fnUntraced(function*(working: Working, { after, cycle, step }: Of<"Work">) {
  const now = yield* cycleOf(working, cycle)
  const { plan } = yield* planNow(working)
  const fixes = step._tag === "Fix" ? yield* Analyses.instructionsFor(working, plan, now, step.round) : ""
  const order = yield* workOrder(working, plan, now, step, after, fixes)
  const { driver, result } = yield* askForResult(working.driver, order)
  return taken({ ...working, driver: yield* refreshDriver(driver) }, result)
})

interface Told {
  readonly working: Working
  readonly unfinished: Reviews.Unfinished | null
}

const read = Effect.fnUntraced(function*({ unfinished, working: before }: Told) {
  if (unfinished === null) return on(before)
  const working = yield* caughtUp(before)
  if (working.driver.state.stopAsked) return on(working)
  return over(working, unfinished._tag === "Stopped" ? aborted : agentFailedEnd(asImplement(working), unfinished))
})

type Of<Tag extends Decision["_tag"]> = Extract<Decision, { readonly _tag: Tag }>

/** Runs a test. What it changes in the worktree belongs to the cycle. */
const tested = Effect.fnUntraced(function*(working: Working, { command, cycle, running }: Of<"Test">) {
  const now = yield* runTest(working, cycle, command, running)
  const { ref, manifest: { worktree } } = working.run
  if (cycle > 0) yield* countToRound(ref, worktree, cycle, { _tag: "AfterTests" })
  return now
})

/** Does what counts for the end of a cycle, unless protected files were changed by now: then a person looks at them. */
const unlessProtected = Effect.fnUntraced(function*<E, R>(
  working: Working,
  cycle: number,
  turn: Effect.Effect<Turn, E, R>
) {
  const { ref, manifest: { worktree } } = working.run
  const files = yield* protectedFiles(ref, worktree, working.settings.protect)
  return files.length === 0
    ? yield* turn
    : over(working, yield* endOutcome(working, { _tag: "Protected", cycle, files }))
})

const acted = Effect.fnUntraced(function*(working: Working, decision: Decision) {
  switch (decision._tag) {
    case "Warn": {
      const { budget, limit, used } = decision
      return on(yield* record(working, [{ _tag: "BudgetWarned", budget, used, limit }]))
    }
    case "StartCycle":
      return yield* unlessProtected(
        working,
        decision.cycle,
        Effect.map(startCycle(working, decision.cycle, decision.tasks), on)
      )
    case "Work":
      return yield* work(working, decision)
    case "Take":
      return on(yield* take(working, decision.cycle, decision.step, decision.agent))
    case "Test":
      return on(yield* tested(working, decision))
    case "Restore":
      return on(yield* restore(working, decision.cycle))
    case "Review": {
      const cycle = yield* cycleOf(working, decision.cycle)
      return yield* read(yield* Reviews.review(working, (yield* planNow(working)).plan, cycle, decision))
    }
    case "Analyse": {
      const cycle = yield* cycleOf(working, decision.cycle)
      return yield* read(yield* Analyses.analysis(working, (yield* planNow(working)).plan, cycle))
    }
    case "Accept":
      return yield* unlessProtected(
        working,
        decision.cycle,
        Effect.map(accept(working, decision.cycle, decision.because), on)
      )
    case "Mark":
      return on(yield* mark(working, decision.cycle, decision.tasks))
    case "Commit":
      return yield* commit(working, decision.cycle, decision.agent)
    case "WriteUnresolved":
      return on(yield* unresolved(working, decision.cycle))
    case "Close":
      return on(yield* close(working, decision.cycle, decision.because))
    case "Converge":
      return yield* Effect.die(new Error("the plan's code is converged when its cycles are over"))
    case "End":
      return over(working, yield* endOutcome(working, decision.end))
  }
})

/** Whether a signal may end the waiting: for work that goes on without this process, or for git, which ends with it. */
const isLong = ({ _tag }: Decision): boolean =>
  _tag === "Work" || _tag === "Test" || _tag === "Review" || _tag === "Analyse" || _tag === "Commit"

/** Does one turn. Where a person must allow something first, the call ends. */
export const turned = (working: Working, decision: Decision, signals: Fiber.Fiber<SignalName>) => {
  const turn = acted(working, decision)
  return (isLong(decision) ? following(working, signals, turn) : turn).pipe(
    Effect.catchTag("ConsentNeeded", (error) => Effect.succeed(over(working, consentEnd(error.message, "implement")))),
    Effect.catchIf(
      (error) => error._tag === "SnapshotFailed" && error.reason._tag === "Partial",
      (error) => Effect.succeed(over(working, consentEnd(error.message, "implement")))
    )
  )
}
