// ConvergeState: what has happened to a driven run so far: its rounds, its tests, its agents, and who drove it.
import { type AgentsState, evolveAgents, noAgents } from "../agent/AgentsState.ts"
import type { Identity } from "../run/Identity.ts"
import type { Budget, ConvergeEvent, ConvergeEventOf } from "./Event.ts"

/** How a test stands. A stopped one says nothing. */
export type TestStanding =
  | { readonly _tag: "Running" }
  | { readonly _tag: "Finished"; readonly finished: ConvergeEventOf<"TestFinished"> }
  | { readonly _tag: "Stopped" }

/**
 * One run of one test. `driver` has started it or, where another one took over meanwhile, saw its end. `agents` is the
 * number of agents that had been started before it.
 */
export interface TestState {
  readonly started: ConvergeEventOf<"TestStarted">
  readonly driver: string
  readonly agents: number
  readonly standing: TestStanding
}

/** One round. Null where something has not happened. */
export interface RoundState {
  readonly started: ConvergeEventOf<"RoundStarted">
  readonly answered: ReadonlyArray<ConvergeEventOf<"RoundAnswered">>
  readonly skipped: ConvergeEventOf<"RetrospectiveSkipped"> | null
  readonly restored: ConvergeEventOf<"WorktreeRestored"> | null
  readonly commits: ReadonlyArray<ConvergeEventOf<"FixesCommitted">>
  readonly concluded: ConvergeEventOf<"RoundConcluded"> | null
  readonly closed: ConvergeEventOf<"RoundClosed"> | null
  /** The driver that closed it. */
  readonly closedBy: string | null
}

/** Who drives, since when, and until when as far as the log tells; in epoch milliseconds. */
export interface DriverState {
  readonly driver: string
  readonly pid: number
  readonly since: number
  readonly until: number
  readonly outcome: string | null
}

/** The folded state of a driver's stream. Rounds and tests are counted from 1, without a gap. */
export interface ConvergeState {
  readonly runId: string
  readonly agents: AgentsState
  readonly rounds: ReadonlyArray<RoundState>
  readonly tests: ReadonlyArray<TestState>
  readonly drivers: ReadonlyArray<DriverState>
  /** Whether `stop` asked the present driver to end. */
  readonly stopAsked: boolean
  readonly warned: ReadonlyArray<{ readonly budget: Budget; readonly limit: number }>
}

/** A stream that has just begun. */
export const begun = (runId: string): ConvergeState => ({
  runId,
  agents: noAgents,
  rounds: [],
  tests: [],
  drivers: [],
  stopAsked: false,
  warned: []
})

const inRound = (state: ConvergeState, round: number, change: (one: RoundState) => RoundState): ConvergeState => ({
  ...state,
  rounds: state.rounds.map((one) => one.started.round === round ? change(one) : one)
})

const driverOf = ({ drivers }: ConvergeState): string => drivers.at(-1)?.driver ?? ""

const inTest = (state: ConvergeState, test: number, standing: TestStanding): ConvergeState => ({
  ...state,
  tests: state.tests.map((one) => one.started.test === test ? { ...one, driver: driverOf(state), standing } : one)
})

const inLast = (state: ConvergeState, change: (one: DriverState) => DriverState): ConvergeState => ({
  ...state,
  drivers: state.drivers.map((one, i) => i === state.drivers.length - 1 ? change(one) : one)
})

const evolved = (state: ConvergeState, event: ConvergeEvent, at: number): ConvergeState => {
  switch (event._tag) {
    case "ConvergeStarted":
      return state
    case "DriverStarted": {
      const { driver, pid } = event
      return {
        ...state,
        stopAsked: false,
        drivers: [...state.drivers, { driver, pid, since: at, until: at, outcome: null }]
      }
    }
    case "DriverEnded":
      return inLast(state, (one) => one.driver === event.driver ? { ...one, outcome: event.outcome } : one)
    case "StopAsked":
      return { ...state, stopAsked: true }
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
    case "TestStarted": {
      const driver = driverOf(state)
      const agents = state.agents.agents.length
      return { ...state, tests: [...state.tests, { started: event, driver, agents, standing: { _tag: "Running" } }] }
    }
    case "TestFinished":
      return inTest(state, event.test, { _tag: "Finished", finished: event })
    case "TestStopped":
      return inTest(state, event.test, { _tag: "Stopped" })
    case "RoundAnswered":
      return inRound(state, event.round, (one) => ({ ...one, answered: [...one.answered, event] }))
    case "RetrospectiveSkipped":
      return inRound(state, event.round, (one) => ({ ...one, skipped: event }))
    case "WorktreeRestored":
      return inRound(state, event.round, (one) => ({ ...one, restored: event }))
    case "FixesCommitted":
      return inRound(state, event.round, (one) => ({ ...one, commits: [...one.commits, event] }))
    case "RoundConcluded":
      return inRound(state, event.round, (one) => ({ ...one, concluded: event }))
    case "RoundClosed":
      return inRound(
        state,
        event.round,
        (one) => ({ ...one, closed: event, closedBy: state.drivers.at(-1)?.driver ?? null })
      )
    case "BudgetWarned":
      return { ...state, warned: [...state.warned, { budget: event.budget, limit: event.limit }] }
    default:
      return { ...state, agents: evolveAgents(state.agents, event, at) }
  }
}

/** The state after one event that was committed at `at` (epoch milliseconds). */
export const evolveConverge = (state: ConvergeState, event: ConvergeEvent, at: number): ConvergeState =>
  inLast(evolved(state, event, at), (one) => ({ ...one, until: Math.max(one.until, at) }))

/** How long the run was driven, in milliseconds: every driver from its beginning to the last line that it wrote. */
export const drivenFor = ({ drivers }: ConvergeState): number =>
  drivers.reduce((sum, { since, until }) => sum + (until - since), 0)

/** The content after the last test or, before any, what a round began with. */
export const contentOf = ({ concluded, started }: RoundState): Identity => concluded?.content ?? started.content
