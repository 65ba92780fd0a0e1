// Turns: what the driver of a plan does in a cycle beside asking agents and running tests.
import { Clock, Effect, Result } from "effect"
import { askForResult } from "../agents/AskForResult.ts"
import { commitMessage, defaultTemplate } from "../core/converge/CommitMessage.ts"
import { claims, founded } from "../core/implement/Claims.ts"
import type { AcceptCause, CycleCause, NamedTask } from "../core/implement/Event.ts"
import { claimed, type CycleState, firstUnmarked } from "../core/implement/PlanState.ts"
import type { WorkStep } from "../core/implement/Steps.ts"
import type { Plan } from "../core/plan/Plan.ts"
import { markDone, markPlanDone } from "../core/planfile/MarkDone.ts"
import type { PlanDocument } from "../core/planfile/PlanDocument.ts"
import { isDone } from "../core/planfile/Queries.ts"
import { writeUnresolved } from "../core/planfile/Unresolved.ts"
import { sameDigest } from "../core/run/Event.ts"
import { sameContent } from "../core/run/Identity.ts"
import { around, protectedFiles } from "../driving/Around.ts"
import { record } from "../driving/Work.ts"
import { keepLong } from "../runs/KeepLong.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import { Commits } from "../services/Commits.ts"
import { RunStore } from "../services/RunStore.ts"
import { Snapshots } from "../services/Snapshots.ts"
import { workOrder } from "./Orders.ts"
import { cycleOf, planNow, type Working, writePlan } from "./Working.ts"

const agentsOf = (cycle: number): string => `cycle-${cycle}/`

/** Begins a cycle about some tasks. */
export const startCycle = Effect.fn("Turns.startCycle")(
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
export const take = Effect.fn("Turns.take")(
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
    const files = yield* protectedFiles(working.driver, agentsOf(number), worktree, working.settings.protect)
    const plans = (yield* isUntouched(working, cycle, document)) ? [] : [nameOf(working)]
    const event = { cycle: number, agent, tasks, problems, protectedFiles: [...plans, ...files] }
    return yield* record(working, [{ _tag: "WorkTaken", ...event }])
  }
)

/** Puts the worktree back to where a cycle began. */
export const restore = Effect.fn("Turns.restore")(function*(working: Working, number: number) {
  const range = around(working.driver, agentsOf(number))
  if (range === null) return yield* Effect.die(new Error("a cycle without a snapshot had no agent that writes"))
  yield* (yield* Snapshots).restore(working.run.ref, working.run.manifest.worktree, range.first)
  return yield* record(working, [{ _tag: "WorktreeRestored", round: number, snapshot: range.first }])
})

/** Accepts the work of a cycle. */
export const accept = Effect.fn("Turns.accept")(function*(working: Working, cycle: number, because: AcceptCause) {
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
export const mark = Effect.fn("Turns.mark")(
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
    const digest = yield* writePlan(working, bytes, written)
    return yield* record(working, [{ _tag: "TasksMarked", cycle: number, tasks, plan: digest }])
  }
)

/** The template where `--commit-fixes` names none. */
const ownTemplate = "Implement {count} task(s) of a plan, cycle {round}"

/** Commits the work of a cycle, with the plan's marks. */
export const commit = Effect.fn("Turns.commit")(function*(working: Working, number: number, agent: number) {
  const { run, settings } = working
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
  return yield* record(working, [{ _tag: "FixesCommitted", round: number, agent, commit, output: said }])
})

/** Writes the last review of a cycle into the plan, because no fix is left. */
export const unresolved = Effect.fn("Turns.unresolved")(function*(working: Working, number: number) {
  const { reviews } = yield* cycleOf(working, number)
  const { bytes, document } = yield* planNow(working)
  const text = reviews.at(-1)?.review.text ?? ""
  const written = yield* Effect.fromResult(writeUnresolved(document, text, yield* Clock.currentTimeMillis))
  const plan = yield* writePlan(working, bytes, written)
  return yield* record(working, [{ _tag: "UnresolvedWritten", cycle: number, plan }])
})
