// State: what has happened to a plan run.
import { readDriver } from "../../agent/TaskLog.ts"
import type { RunRef } from "../../log/Refs.ts"
import type { StreamKind } from "../../log/StreamKind.ts"
import { planLog } from "../../run/RunKind.ts"
import * as Driven from "../State.ts"
import { driverOf, emptyRound, evolveDriven, inRound, seenAt, undriven } from "../State.ts"
import { PlanEvent, type PlanEventOf } from "./Event.ts"

/** One round, which the log calls a cycle. Null where something has not happened. */
export interface RoundState extends Driven.RoundState {
  readonly started: PlanEventOf<"CycleStarted">
  readonly answered: ReadonlyArray<PlanEventOf<"WorkTaken">>
  readonly reviews: ReadonlyArray<PlanEventOf<"CodeReviewed">>
  /** When the reviews were read, in epoch milliseconds. */
  readonly reviewedAt: ReadonlyArray<number>
  readonly analysed: PlanEventOf<"ReviewAnalysed"> | null
  readonly accepted: PlanEventOf<"CycleAccepted"> | null
  readonly marked: PlanEventOf<"TasksMarked"> | null
  readonly unresolved: PlanEventOf<"UnresolvedWritten"> | null
  readonly closed: PlanEventOf<"CycleClosed"> | null
}

/** The folded state of a plan run. */
export interface PlanState extends Driven.DrivenState {
  readonly rounds: ReadonlyArray<RoundState>
  /** Whether a person has fixed what the last round left. */
  readonly isFixed: boolean
}

/** A plan run that has just begun. */
export const begun: PlanState = { ...undriven, rounds: [], isFixed: false }

const evolved = (state: PlanState, event: PlanEvent, at: number): PlanState => {
  switch (event._tag) {
    case "PlanStarted":
    case "PlanConverged":
      return state
    case "CycleStarted": {
      const round: RoundState = {
        ...emptyRound,
        round: event.cycle,
        started: event,
        reviews: [],
        reviewedAt: [],
        analysed: null,
        accepted: null,
        marked: null,
        unresolved: null
      }
      return { ...state, isFixed: false, rounds: [...state.rounds, round] }
    }
    case "WorkTaken":
      return inRound(state, event.cycle, (one) => ({ ...one, answered: [...one.answered, event] }))
    case "CodeReviewed":
      // A new review ends what an earlier review of the same work led to.
      return inRound(state, event.cycle, (one) => ({
        ...one,
        reviews: [...one.reviews, event],
        reviewedAt: [...one.reviewedAt, at],
        analysed: event.round === 0 ? null : one.analysed,
        accepted: null
      }))
    case "ReviewAnalysed":
      return inRound(state, event.cycle, (one) => ({ ...one, analysed: event }))
    case "CycleAccepted":
      return inRound(state, event.cycle, (one) => ({ ...one, accepted: event }))
    case "TasksMarked":
      return inRound(state, event.cycle, (one) => ({ ...one, marked: event }))
    case "UnresolvedWritten":
      return inRound(state, event.cycle, (one) => ({ ...one, unresolved: event }))
    case "CycleClosed":
      return {
        ...inRound(state, event.cycle, (one) => ({ ...one, closed: event, closedBy: driverOf(state) })),
        isFixed: false
      }
    case "PersonAnswered":
      return { ...evolveDriven(state, event, at), isFixed: event.answer === "Fixed" }
    default:
      return evolveDriven(state, event, at)
  }
}

/** The state after one event that was committed at `at` (epoch milliseconds). */
export const evolvePlan = (state: PlanState, event: PlanEvent, at: number): PlanState =>
  seenAt(evolved(state, event, at), at)

/** The tasks that the work of a round claims to have done: what its implementer named last. */
export const claimed = ({ answered }: RoundState): ReadonlyArray<number> =>
  answered.findLast(({ tasks }) => tasks.length > 0)?.tasks ?? []

/** The first round since tasks were marked last: what later ones found in the worktree is the work of agents too. */
export const firstUnmarked = ({ rounds }: PlanState): RoundState | null =>
  rounds[rounds.findLastIndex((one) => one.marked !== null) + 1] ?? null

/** The log of a plan run, as one kind of log among others. It is the only log of its run. */
export const planRun: StreamKind<PlanEvent, PlanState> = {
  ...planLog,
  event: PlanEvent,
  fold: {
    initial: (event) => event._tag === "PlanStarted" ? begun : null,
    evolve: (state, event, { at }) => evolvePlan(state, event, Date.parse(at))
  }
}

/** Reads the log of a plan run, which is its driver's too. */
export const readPlan = (ref: RunRef) => readDriver<PlanState, PlanEvent>(planRun, ref)

/** Whether the work of a run is over: a further task is another run's. */
export const isOver = ({ drivers }: PlanState): boolean =>
  ["Accepted", "FixedPoint"].includes(drivers.at(-1)?.end?._tag ?? "")
