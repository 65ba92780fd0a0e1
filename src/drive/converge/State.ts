// State: what has happened in the rounds of a run.
import { Effect } from "effect"
import { type Driver, readDriver } from "../../agent/TaskLog.ts"
import { EventLog } from "../../log/EventLog.ts"
import type { RunRef } from "../../log/Refs.ts"
import type { Identity } from "../../run/Identity.ts"
import type { StreamKind } from "../../log/StreamKind.ts"
import { recovered } from "../../platform/Note.ts"
import { RunStore } from "../../run/RunStore.ts"
import { type DrivenState, driverOf, evolveDriven, seenAt, undriven } from "../State.ts"
import { ConvergeEvent, type ConvergeEventOf } from "./Event.ts"

// What has happened to a driven run so far: its rounds, its tests, its agents, and who drove it.

/** One round. Null where something has not happened. */
export interface RoundState {
  readonly started: ConvergeEventOf<"RoundStarted">
  readonly answered: ReadonlyArray<ConvergeEventOf<"RoundAnswered">>
  readonly skipped: ConvergeEventOf<"RetrospectiveSkipped"> | null
  readonly restored: ConvergeEventOf<"WorktreeRestored"> | null
  /** The commits, each with the driver that asked git for it. */
  readonly commits: ReadonlyArray<ConvergeEventOf<"FixesCommitted"> & { readonly driver: string }>
  readonly concluded: ConvergeEventOf<"RoundConcluded"> | null
  readonly closed: ConvergeEventOf<"RoundClosed"> | null
  /** The driver that closed it. */
  readonly closedBy: string | null
}

/** The folded state of a driver's stream. Rounds are counted from 1, without a gap. */
export interface ConvergeState extends DrivenState {
  readonly runId: string
  readonly rounds: ReadonlyArray<RoundState>
  /** The last end that asked a person and has no answer yet. */
  readonly asked: AskedEnd | null
  /** How many rounds there were when a person last answered one: circles and patience begin anew then. */
  readonly since: number
}

/** An end that asked a person, and what the driver left behind. */
export interface AskedEnd {
  readonly driver: string
  readonly outcome: string
  readonly why: string
  readonly content: Identity
}

/** A stream that has just begun. */
export const begun = (runId: string): ConvergeState => ({ ...undriven, runId, rounds: [], asked: null, since: 0 })

const inRound = (state: ConvergeState, round: number, change: (one: RoundState) => RoundState): ConvergeState => ({
  ...state,
  rounds: state.rounds.map((one) => one.started.round === round ? change(one) : one)
})

const evolved = (state: ConvergeState, event: ConvergeEvent, at: number): ConvergeState => {
  switch (event._tag) {
    case "ConvergeStarted":
      return state
    case "RoundStarted": {
      const nothing = {
        answered: [],
        skipped: null,
        restored: null,
        commits: [],
        concluded: null,
        closed: null,
        closedBy: null
      }
      return { ...state, rounds: [...state.rounds, { started: event, ...nothing }] }
    }
    case "RoundAnswered":
      return inRound(state, event.round, (one) => ({ ...one, answered: [...one.answered, event] }))
    case "RetrospectiveSkipped":
      return inRound(state, event.round, (one) => ({ ...one, skipped: event }))
    case "WorktreeRestored":
      return inRound(state, event.round, (one) => ({ ...one, restored: event }))
    case "FixesCommitted":
      return inRound(state, event.round, (one) => ({
        ...one,
        commits: [...one.commits, { ...event, driver: driverOf(state) }]
      }))
    case "RoundConcluded":
      return inRound(state, event.round, (one) => ({ ...one, concluded: event }))
    case "RoundClosed":
      return inRound(
        state,
        event.round,
        (one) => ({ ...one, closed: event, closedBy: state.drivers.at(-1)?.driver ?? null })
      )
    case "PersonAnswered":
      return { ...state, asked: null, since: event.answer === "Unchanged" ? state.since : state.rounds.length }
    case "DriverEnded": {
      const { content, driver, outcome, why = "" } = event
      const asked = content === undefined ? state.asked : { driver, outcome, why, content }
      return { ...evolveDriven(state, event, at), asked }
    }
    default:
      return evolveDriven(state, event, at)
  }
}

/** The state after one event that was committed at `at` (epoch milliseconds). */
export const evolveConverge = (state: ConvergeState, event: ConvergeEvent, at: number): ConvergeState =>
  seenAt(evolved(state, event, at), at)

// The stream of a run's driver, as one kind of log among others. It lies beside the run's log.

/** The kind of a driver's stream. */
export const convergeRun: StreamKind<ConvergeEvent, ConvergeState> = {
  kind: "converge",
  event: ConvergeEvent,
  genesis: { event: "ConvergeStarted", binds: ["runId", "nonce"] },
  fold: {
    initial: (event) => event._tag === "ConvergeStarted" ? begun(event.runId) : null,
    evolve: (state, event, { at }) => evolveConverge(state, event, Date.parse(at))
  }
}

// The stream of a run's driver on its log.

/** The stream of the driver of a converging run. */
export type ConvergeDriver = Driver<ConvergeState, ConvergeEvent>

const begin = Effect.fnUntraced(function*(ref: RunRef) {
  const started = { _tag: "ConvergeStarted", runId: ref.runId, nonce: yield* (yield* RunStore).nonce } as const
  // If another process began the stream first, that one is used: a run has one stream for all its drivers.
  yield* Effect.catchTag((yield* EventLog).create(convergeRun, ref, [started]), "LogConflict", recovered("it is read"))
})

/** The stream of the driver of a converging run. LogMissing where nobody has driven it yet. */
export const readConverge = (ref: RunRef) => readDriver<ConvergeState, ConvergeEvent>(convergeRun, ref)

/** The stream of the driver of a converging run; it is begun where nobody has driven the run yet. */
export const openDriver = Effect.fn("Driver.openDriver")((ref: RunRef) =>
  Effect.catchTag(readConverge(ref), ["LogMissing", "NoSuchRun"], () => Effect.andThen(begin(ref), readConverge(ref)))
)
