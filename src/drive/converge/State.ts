// State: what has happened in the rounds of a run.
import { Effect } from "effect"
import { type Driver, readDriver } from "../../agent/TaskLog.ts"
import { EventLog } from "../../log/EventLog.ts"
import type { RunRef } from "../../log/Refs.ts"
import type { StreamKind } from "../../log/StreamKind.ts"
import { recovered } from "../../platform/Note.ts"
import { RunStore } from "../../run/RunStore.ts"
import * as Driven from "../State.ts"
import { driverOf, emptyRound, evolveDriven, inRound, seenAt, undriven } from "../State.ts"
import { ConvergeEvent, type ConvergeEventOf } from "./Event.ts"

/** One round. Null where something has not happened. */
export interface RoundState extends Driven.RoundState {
  readonly started: ConvergeEventOf<"RoundStarted">
  readonly answered: ReadonlyArray<ConvergeEventOf<"RoundAnswered">>
  readonly skipped: ConvergeEventOf<"RetrospectiveSkipped"> | null
  readonly concluded: ConvergeEventOf<"RoundConcluded"> | null
  readonly closed: ConvergeEventOf<"RoundClosed"> | null
}

/** The folded state of a driver's stream. */
export interface ConvergeState extends Driven.DrivenState {
  readonly rounds: ReadonlyArray<RoundState>
}

/** A stream that has just begun. */
export const begun: ConvergeState = { ...undriven, rounds: [] }

const evolved = (state: ConvergeState, event: ConvergeEvent, at: number): ConvergeState => {
  switch (event._tag) {
    case "ConvergeStarted":
      return state
    case "RoundStarted": {
      const round: RoundState = { ...emptyRound, round: event.round, started: event, skipped: null, concluded: null }
      return { ...state, rounds: [...state.rounds, round] }
    }
    case "RoundAnswered":
      return inRound(state, event.round, (one) => ({ ...one, answered: [...one.answered, event] }))
    case "RetrospectiveSkipped":
      return inRound(state, event.round, (one) => ({ ...one, skipped: event }))
    case "RoundConcluded":
      return inRound(state, event.round, (one) => ({ ...one, concluded: event }))
    case "RoundClosed":
      return inRound(state, event.round, (one) => ({ ...one, closed: event, closedBy: driverOf(state) }))
    default:
      return evolveDriven(state, event, at)
  }
}

/** The state after one event that was committed at `at` (epoch milliseconds). */
export const evolveConverge = (state: ConvergeState, event: ConvergeEvent, at: number): ConvergeState =>
  seenAt(evolved(state, event, at), at)

/** The stream of a run's driver, as one kind of log among others. It lies beside the run's log. */
export const convergeRun: StreamKind<ConvergeEvent, ConvergeState> = {
  kind: "converge",
  event: ConvergeEvent,
  genesis: { event: "ConvergeStarted", binds: ["runId", "nonce"] },
  fold: {
    initial: (event) => event._tag === "ConvergeStarted" ? begun : null,
    evolve: (state, event, { at }) => evolveConverge(state, event, Date.parse(at))
  }
}

/** The stream of the driver of a converging run. */
export type ConvergeDriver = Driver<ConvergeState, ConvergeEvent>

const begin = Effect.fnUntraced(function*(ref: RunRef) {
  const started = { _tag: "ConvergeStarted", runId: ref.runId, nonce: yield* (yield* RunStore).nonce } as const
  // If another process began the stream first, that one is used: a run has one stream for all its drivers.
  yield* Effect.catchTag((yield* EventLog).create(convergeRun, ref, [started]), "LogConflict", recovered("it is read"))
})

/** The stream of the driver of a converging run. LogMissing where no driver has begun one. */
export const readConverge = (ref: RunRef) => readDriver<ConvergeState, ConvergeEvent>(convergeRun, ref)

/** The stream of the driver of a converging run; begun if it is missing. */
export const openDriver = Effect.fn("State.openDriver")((ref: RunRef) =>
  Effect.catchTag(readConverge(ref), ["LogMissing", "NoSuchRun"], () => Effect.andThen(begin(ref), readConverge(ref)))
)
