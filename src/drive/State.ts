// State: the facts that the streams of all drivers share, and the state that they fold to: who drives, the agents, the
// project's tests, the budgets. A released event is never renamed or removed.
import { Schema } from "effect"
import { taskEvents } from "../agent/Event.ts"
import { type AgentsState, evolveAgents, noAgents, underWay } from "../agent/State.ts"
import { Digest, LongText, Ordinal } from "../run/Event.ts"
import { Identity } from "../run/Identity.ts"
import { Consent } from "../agent/Event.ts"
import { type Cause, DriverEnd, isAbout, limitOf } from "./End.ts"

/** What can refuse a commit: a hook, what git needs and lacks, or git for another reason. */
export const RefusedBy = Schema.Literals([
  ...["pre-commit", "prepare-commit-msg", "commit-msg", "pre-merge-commit", "reference-transaction"] as const,
  ...["author", "signature", "lock", "storage", "git"] as const
])
export type RefusedBy = typeof RefusedBy.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const round = { round: Ordinal }

/**
 * What a person did about an end that asked for it: fixed the code, put back what was reviewed, asked for another try, or
 * left the code unchanged.
 */
export const PersonAnswer = Schema.Literals(["Fixed", "Undone", "Again", "Unchanged"])
export type PersonAnswer = typeof PersonAnswer.Type

/** What a run is limited in. */
export const Budget = Schema.Literals(["rounds", "time", "tokens"])
export type Budget = typeof Budget.Type

/** The events, for the union of a driver's stream. Documented one by one in docs/events.md. */
export const drivenEvents = {
  ...taskEvents,
  /**
   * A driver took the run, and left it. `branch` is the one that was checked out, null for a detached HEAD; `call` is the
   * command line; `outcome` is the header in which it ended, and `end` the same as data. Where that asks a person, `why`
   * says what for, and `content` is what the worktree held. Earlier versions recorded no `end`.
   */
  DriverStarted: {
    driver: Schema.String,
    pid: Ordinal,
    branch: Schema.optionalKey(Schema.NullOr(Schema.String)),
    call: Schema.optionalKey(Schema.String)
  },
  DriverEnded: {
    driver: Schema.String,
    outcome: Schema.String,
    why: Schema.optionalKey(Schema.String),
    content: Schema.optionalKey(Identity),
    end: Schema.optionalKey(DriverEnd)
  },
  /** `stop` asked the run's driver to end. */
  StopAsked: {},
  /** A test is about to run: one line of the shell. `round` is 0 for those outside of rounds. */
  TestStarted: {
    test: Ordinal,
    id: Schema.String,
    round: Count,
    command: Schema.String,
    /** What the worktree held before it. */
    before: Schema.optionalKey(Identity)
  },
  /** It ended. `exit` is null where it was killed for its time. `content` is what the worktree held after it. */
  TestFinished: { test: Ordinal, exit: Schema.NullOr(Count), output: Digest, content: Identity },
  /** It was ended, or its end was lost: it says nothing. */
  TestStopped: { test: Ordinal, cause: Schema.Literals(["Interrupt", "Stop", "Superseded", "Lost"]) },
  /** The worktree was put back to a snapshot, because the round's tests stayed red. */
  WorktreeRestored: { ...round, snapshot: Ordinal },
  /**
   * The round's work was committed, or git refused to: then `commit` is null and `refusedBy` says what did. `made` is
   * false if nothing was left to commit: then `commit` is not of the run. `changed`: hooks changed files meanwhile.
   */
  FixesCommitted: {
    ...round,
    agent: Ordinal,
    commit: Schema.NullOr(Schema.String),
    made: Schema.optionalKey(Schema.Literal(false)),
    refusedBy: Schema.optionalKey(RefusedBy),
    changed: Schema.optionalKey(Schema.Literal(true)),
    output: LongText
  },
  /** Four fifths of a budget are used. */
  BudgetWarned: { budget: Budget, used: Count, limit: Ordinal },
  /** A person answered the end of an earlier driver, which left `content` behind or another one. */
  PersonAnswered: { answer: PersonAnswer, content: Identity }
} as const

/** The union of these events alone. */
export const DrivenEvent = Schema.TaggedUnion(drivenEvents)
export type DrivenEvent = typeof DrivenEvent.Type
export type DrivenEventOf<Tag extends DrivenEvent["_tag"]> = Extract<DrivenEvent, { readonly _tag: Tag }>

/** How far a test is. A stopped one counts for nothing. */
type TestStanding =
  | { readonly _tag: "Running" }
  | { readonly _tag: "Finished"; readonly finished: DrivenEventOf<"TestFinished"> }
  | { readonly _tag: "Stopped" }

/**
 * One run of one test. `driver` has started it or, where another one took over meanwhile, saw its end. `agents` is the
 * number of agents that had been started before it.
 */
export interface TestState {
  readonly started: DrivenEventOf<"TestStarted">
  readonly driver: string
  readonly agents: number
  readonly standing: TestStanding
}

/** Who drives, since when, and until when as far as the log says; in epoch milliseconds. */
export interface DriverState {
  readonly driver: string
  readonly pid: number
  readonly since: number
  readonly until: number
  readonly outcome: string | null
  readonly end: DriverEnd | null
  /** The command line that began it; null where it is not recorded. */
  readonly call: string | null
  /** Why its end asks a person; null where it asks none. */
  readonly why: string | null
}

/** What a round has, whatever is worked on in it. Null where something has not happened. */
export interface RoundState {
  /** Its number. */
  readonly round: number
  readonly started: { readonly content: Identity }
  /** The agents whose work was accepted, and the protected files that were changed by then. */
  readonly answered: ReadonlyArray<{ readonly agent: number; readonly protectedFiles: ReadonlyArray<string> }>
  readonly restored: DrivenEventOf<"WorktreeRestored"> | null
  /** The commits, each with the driver that asked git for it, and the number of tests before it. */
  readonly commits: ReadonlyArray<DrivenEventOf<"FixesCommitted"> & { readonly driver: string; readonly tests: number }>
  readonly closed: { readonly because: string } | null
  /** The driver that closed it. */
  readonly closedBy: string | null
}

/** A round in which nothing has happened yet. */
export const emptyRound = { answered: [], restored: null, commits: [], closed: null, closedBy: null } as const

/** An end that asked a person, and what the driver left behind. */
export interface AskedEnd {
  readonly driver: string
  readonly end: DriverEnd
  readonly why: string
  readonly content: Identity
}

/** The folded state that the streams of all drivers have. Rounds and tests are counted from 1, without a gap. */
export interface DrivenState {
  readonly agents: AgentsState
  readonly rounds: ReadonlyArray<RoundState>
  /** The last end that asked a person and has no answer yet. */
  readonly asked: AskedEnd | null
  /** How many rounds there were when a person last answered one: circles and patience begin anew then. */
  readonly since: number
  readonly tests: ReadonlyArray<TestState>
  readonly drivers: ReadonlyArray<DriverState>
  /** The branch on which the run was begun, null for a detached HEAD; undefined where no driver recorded it. */
  readonly branch: string | null | undefined
  /** How many rounds were over with their call, with the merge base that they began with, or one that was allowed. */
  readonly settled: number
  /** Whether `stop` asked the present driver to end. */
  readonly stopAsked: boolean
  readonly warned: ReadonlyArray<{ readonly budget: Budget; readonly limit: number }>
}

/** A run that had no driver yet. */
export const undriven: DrivenState = {
  agents: noAgents,
  rounds: [],
  asked: null,
  since: 0,
  tests: [],
  drivers: [],
  branch: undefined,
  settled: 0,
  stopAsked: false,
  warned: []
}

/** The present driver, or the last one. */
export const driverOf = ({ drivers }: DrivenState): string => drivers.at(-1)?.driver ?? ""

/** The state with a change of one of its rounds. */
export const inRound = <R extends RoundState, S>(
  state: S & { readonly rounds: ReadonlyArray<R> },
  round: number,
  change: (one: R) => R
): S & { readonly rounds: ReadonlyArray<R> } => ({
  ...state,
  rounds: state.rounds.map((one) => one.round === round ? change(one) : one)
})

const inTest = (state: DrivenState, test: number, standing: TestStanding) => ({
  tests: state.tests.map((one) => one.started.test === test ? { ...one, driver: driverOf(state), standing } : one)
})

const inLast = ({ drivers }: DrivenState, change: (one: DriverState) => DriverState) => ({
  drivers: drivers.map((one, i) => i === drivers.length - 1 ? change(one) : one)
})

/** The cause that earlier versions recorded in the header's word and the sentence alone. */
const causeIn = (action: string, why: string): Cause => {
  switch (action) {
    case "ConsentNeeded": {
      const [, consent = ""] = /--allow ([a-z-]+)/.exec(why) ?? []
      return { _tag: "Consent", consent: Consent.literals.find((one) => one === consent) ?? "unsandboxed" }
    }
    case "TaskBlocked":
      return {
        _tag: why.startsWith("protected files ")
          ? "Protected"
          : / was changed while /.test(why)
          ? "ChangedMeanwhile"
          : why.startsWith("the implementer names no task")
          ? "NothingDone"
          : "Rejected"
      }
    case "AgentFailed":
      return { _tag: "AgentFailed" }
    case "GitStateChanged":
      return { _tag: "GitChanged" }
    default:
      return { _tag: why.includes("git refused to commit") ? "CommitRefused" : "TestsRed" }
  }
}

/** How a call ended; earlier versions recorded it in texts alone. */
const endIn = ({ end, outcome, why = "" }: DrivenEventOf<"DriverEnded">): DriverEnd => {
  if (end !== undefined) return end
  const [, header = outcome, rest = ""] = /^(\w+): (.*)$/s.exec(outcome) ?? []
  const [, action = "", key = ""] = /^(\w+):(.*)$/s.exec(rest) ?? []
  const [, reviews = null] = /^(\d{1,9}) review\(s\) of /.exec(rest) ?? []
  switch (header) {
    case "DoneFixedPoint":
      return { _tag: "FixedPoint" }
    case "DoneAccepted":
      return { _tag: "Accepted" }
    case "DoneAborted":
      return { _tag: "Aborted" }
    case "HandoffHuman":
      return { _tag: "Asked", cause: causeIn(rest, why) }
    case "StuckRepeated":
    case "StuckCapReached":
      return { _tag: "GaveUp", limit: limitOf(header, action, key) }
    default:
      return { _tag: "Failed", ...(reviews === null ? {} : { reviews: Number(reviews) }) }
  }
}

/** What one event changes that was committed at `at` (epoch milliseconds). */
const changeOf = (state: DrivenState, event: DrivenEvent, at: number): Partial<DrivenState> => {
  switch (event._tag) {
    case "DriverStarted": {
      const { driver, pid } = event
      return {
        branch: state.branch === undefined ? event.branch : state.branch,
        stopAsked: false,
        drivers: [
          ...state.drivers,
          { driver, pid, since: at, until: at, outcome: null, end: null, call: event.call ?? null, why: null }
        ]
      }
    }
    case "DriverEnded": {
      const { content, driver, outcome, why = null } = event
      const end = endIn(event)
      // A call that only lacked a consent has done nothing about what a person was asked before.
      const isAsked = content !== undefined && !(state.asked !== null && isAbout(end, "Consent"))
      // What is still running may move the merge base.
      const isOpen = isAbout(end, "BaseMoved") || (end._tag === "Failed" && end.broke === true) ||
        underWay(state.agents).length > 0 || state.tests.some(({ standing }) => standing._tag === "Running")
      return {
        settled: isOpen ? state.settled : state.rounds.length,
        ...inLast(state, (one) => one.driver === driver ? { ...one, outcome, end, why } : one),
        ...(isAsked ? { asked: { driver, end, why: why ?? "", content } } : {})
      }
    }
    case "PersonAnswered":
      return { asked: null, since: event.answer === "Unchanged" ? state.since : state.rounds.length }
    case "StopAsked":
      return { stopAsked: true }
    case "TestStarted": {
      const driver = driverOf(state)
      const agents = state.agents.agents.length
      return { tests: [...state.tests, { started: event, driver, agents, standing: { _tag: "Running" } }] }
    }
    case "TestFinished":
      return inTest(state, event.test, { _tag: "Finished", finished: event })
    case "TestStopped":
      return inTest(state, event.test, { _tag: "Stopped" })
    case "WorktreeRestored":
      return inRound(state, event.round, (one) => ({ ...one, restored: event }))
    case "FixesCommitted":
      return inRound(
        state,
        event.round,
        (one) => ({
          ...one,
          commits: [...one.commits, { ...event, driver: driverOf(state), tests: state.tests.length }]
        })
      )
    case "BudgetWarned":
      return { warned: [...state.warned, { budget: event.budget, limit: event.limit }] }
    default:
      return { agents: evolveAgents(state.agents, event, at) }
  }
}

/** The state after one event that was committed at `at` (epoch milliseconds). */
export const evolveDriven = <S extends DrivenState>(state: S, event: DrivenEvent, at: number): S => ({
  ...state,
  ...changeOf(state, event, at)
})

/** The state once its present driver has written a line at `at` (epoch milliseconds). */
export const seenAt = <S extends DrivenState>(state: S, at: number): S => ({
  ...state,
  ...inLast(state, (one) => ({ ...one, until: Math.max(one.until, at) }))
})
