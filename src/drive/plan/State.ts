// State: what has happened to a plan run.
import type { StreamKind } from "../../log/StreamKind.ts"
import { planLog } from "../../run/RunKind.ts"
import { type DrivenEventOf, type DrivenState, driverOf, evolveDriven, seenAt, undriven } from "../State.ts"
import { PlanEvent, type PlanEventOf } from "./Event.ts"

// What has happened to a plan run so far: its cycles, its agents and tests, and who drove it.

/** One cycle. Null where something has not happened. */
export interface CycleState {
  readonly started: PlanEventOf<"CycleStarted">
  readonly taken: ReadonlyArray<PlanEventOf<"WorkTaken">>
  readonly reviews: ReadonlyArray<PlanEventOf<"CodeReviewed">>
  readonly analysed: PlanEventOf<"ReviewAnalysed"> | null
  readonly restored: DrivenEventOf<"WorktreeRestored"> | null
  readonly accepted: PlanEventOf<"CycleAccepted"> | null
  readonly marked: PlanEventOf<"TasksMarked"> | null
  readonly commit: string | null
  /** The driver to which git refused the commit last, and what git said. */
  readonly refusedTo: string | null
  readonly refusal: string
  readonly unresolved: PlanEventOf<"UnresolvedWritten"> | null
  readonly closed: PlanEventOf<"CycleClosed"> | null
  /** The driver that closed it. */
  readonly closedBy: string
}

/** The folded state of a plan run. Cycles are counted from 1, without a gap. */
export interface PlanState extends DrivenState {
  readonly started: PlanEventOf<"PlanStarted">
  readonly cycles: ReadonlyArray<CycleState>
}

/** A plan run that has just begun. */
export const begun = (started: PlanEventOf<"PlanStarted">): PlanState => ({
  ...undriven,
  started,
  cycles: []
})

const nothing: Omit<CycleState, "started"> = {
  taken: [],
  reviews: [],
  analysed: null,
  restored: null,
  accepted: null,
  marked: null,
  commit: null,
  refusedTo: null,
  refusal: "",
  unresolved: null,
  closed: null,
  closedBy: ""
}

const inCycle = (state: PlanState, cycle: number, change: (one: CycleState) => CycleState): PlanState => ({
  ...state,
  cycles: state.cycles.map((one) => one.started.cycle === cycle ? change(one) : one)
})

const evolved = (state: PlanState, event: PlanEvent, at: number): PlanState => {
  switch (event._tag) {
    case "PlanStarted":
    case "PlanConverged":
      return state
    case "CycleStarted":
      return { ...state, cycles: [...state.cycles, { started: event, ...nothing }] }
    case "WorkTaken":
      return inCycle(state, event.cycle, (one) => ({ ...one, taken: [...one.taken, event] }))
    case "CodeReviewed":
      // A new review ends what an earlier review of the same round led to.
      return inCycle(state, event.cycle, (one) => ({
        ...one,
        reviews: [...one.reviews, event],
        analysed: event.round === 0 ? null : one.analysed,
        accepted: null
      }))
    case "ReviewAnalysed":
      return inCycle(state, event.cycle, (one) => ({ ...one, analysed: event }))
    case "WorktreeRestored":
      return inCycle(state, event.round, (one) => ({ ...one, restored: event }))
    case "FixesCommitted":
      return inCycle(state, event.round, (one) => ({
        ...one,
        commit: event.commit,
        refusedTo: event.commit === null ? driverOf(state) : null,
        refusal: event.commit === null ? event.output.text : ""
      }))
    case "CycleAccepted":
      return inCycle(state, event.cycle, (one) => ({ ...one, accepted: event }))
    case "TasksMarked":
      return inCycle(state, event.cycle, (one) => ({ ...one, marked: event }))
    case "UnresolvedWritten":
      return inCycle(state, event.cycle, (one) => ({ ...one, unresolved: event }))
    case "CycleClosed":
      return inCycle(state, event.cycle, (one) => ({ ...one, closed: event, closedBy: driverOf(state) }))
    default:
      return evolveDriven(state, event, at)
  }
}

/** The state after one event that was committed at `at` (epoch milliseconds). */
export const evolvePlan = (state: PlanState, event: PlanEvent, at: number): PlanState =>
  seenAt(evolved(state, event, at), at)

/** The tasks that the work of a cycle claims to have done: what its implementer named last. */
export const claimed = ({ taken }: CycleState): ReadonlyArray<number> =>
  taken.findLast(({ tasks }) => tasks.length > 0)?.tasks ?? []

/** The first cycle since tasks were marked last: what later ones found in the worktree is the work of agents too. */
export const firstUnmarked = ({ cycles }: PlanState): CycleState | null => {
  const marked = cycles.findLastIndex((one) => one.marked !== null)
  return cycles[marked + 1] ?? null
}

// The log of a plan run, as one kind of log among others. It is the only log of its run.

/** The kind of a plan run's log. */
export const planRun: StreamKind<PlanEvent, PlanState> = {
  ...planLog,
  event: PlanEvent,
  fold: {
    initial: (event) => event._tag === "PlanStarted" ? begun(event) : null,
    evolve: (state, event, { at }) => evolvePlan(state, event, Date.parse(at))
  }
}

/** Whether the work of a run is over: a further task is another run's. */
export const isOver = ({ cycles, drivers }: PlanState): boolean =>
  drivers.at(-1)?.outcome?.startsWith("Done") === true && drivers.at(-1)?.outcome !== "DoneAborted" &&
  cycles.at(-1)?.closed !== null
