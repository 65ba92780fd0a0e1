// RunView: a run as people and programs see it, folded once from its logs.
//
// A review run has a log, and beside it the log of its driver. A plan run has one log. Kinds of events have different
// names, so one fold takes them all, whichever log they are in: batches of reviews, rounds of agents (a cycle of a
// plan is a round), agents, tests. The parts that a kind of run lacks are empty. `Look` reads the logs and checks
// which processes live; `runs`, `status`, `watch` and `report` show a view and read no log themselves.
//
// The fold adds to the states that the program itself decides from: `RunState`, `ConvergeState` and `PlanState` say
// what is now, and the view also keeps what was: every batch, round, agent and test with its times. An event of the
// reviews and one of the driver change different parts, so only the order within each log matters. A reader that goes
// on, as `watch` does, adds new events to the same fold and has what a reader of the whole logs has.
//
// A view says nothing that the logs do not: what is missing is null, never a guess. An unreadable log gives the view
// of everything before the damage, and `unread` says why it ends there; a log of a newer version is `unread` too,
// since events that this version does not know may have changed anything. Of the driver's log, what can be read is
// shown.
//
// Three things here are judged, so that all readers agree on them. A batch is `Clean` only if every slot has a clean
// review; one with issues is `Waived` if none of them blocks. The last answer to a finding counts, over all agents of
// its round. A new review of a plan's work withdraws that the work was accepted.
import { type AgentState, roundOf as roundOfTask, usageOf } from "../agent/State.ts"
import type {
  Answer,
  CloseCause,
  ConvergeEvent,
  ConvergeEventOf,
  RoundMark,
  SkipCause
} from "../drive/converge/Event.ts"
import type { ConvergeState } from "../drive/converge/State.ts"
import type { CycleCause, NamedTask, PlanEvent, PlanEventOf } from "../drive/plan/Event.ts"
import { isOver, type PlanState } from "../drive/plan/State.ts"
import { type Spending, usedBy } from "../drive/Spending.ts"
import type { DrivenState, PersonAnswer, TestState } from "../drive/State.ts"
import { type LogReadError, LogTooNew } from "../log/EventLog.ts"
import type { Newer } from "../log/Frame.ts"
import type { RunRef } from "../log/Refs.ts"
import { beginning, type Head, isLogEvent, type TaggedEvent } from "../log/StreamKind.ts"
import type { WalkedEvent, WalkedLine } from "../log/Walk.ts"
import { slotsOf, type StartedBatch } from "../run/Batch.ts"
import type { BatchCause, Event, EventOf, ResumeReason } from "../run/Event.ts"
import { compare, type Level } from "../run/Level.ts"
import { sameContent } from "../run/Identity.ts"
import { type LevelRecord, recordOf, type RunState } from "../run/Manifest.ts"
import type { WalkedRun } from "../run/ReviewRun.ts"
import { isKeyOf } from "../run/Target.ts"
import { noUsage, plusUsage, type Usage } from "../run/Usage.ts"

/** When something began and ended, in epoch milliseconds; null if the log does not say. */
export interface Times {
  readonly from: number | null
  readonly to: number | null
}

/** How a batch followed the one before it. */
export type Step = "Began" | "Climbed" | "Dropped" | "Stayed" | "Restarted"

/** The result of a batch. `Waived`: it has findings, and none of them blocks. */
export type BatchVerdict = "Clean" | "Waived" | "Issues" | "Failed" | "Stopped" | "Unfinished"

/** A batch of reviews in its final state. */
export interface BatchView {
  readonly level: Level
  readonly batch: number
  readonly step: Step
  readonly verdict: BatchVerdict
  readonly started: StartedBatch
  readonly from: number
  /** When one of its reviews last ended. */
  readonly to: number
  readonly used: Usage
}

/** An agent's work with its times. */
export interface AgentView extends Times {
  readonly state: AgentState
}

/** A run of a test with its times. */
export interface TestView extends Times {
  readonly state: TestState
}

/** How a round ended. */
export type RoundEnd = Exclude<RoundMark | CloseCause | CycleCause, "Marked"> | "Skipped" | "Accepted"

/** The subject of a round: the findings of a batch, a clean level, or tasks of a plan. */
export type RoundKind = "Address" | "Retrospective" | "Tasks"

/** A round: what agents were asked, and the result. */
export interface RoundView {
  readonly round: number
  readonly kind: RoundKind
  readonly about: { readonly level: Level; readonly batch: number } | null
  /** The names of its findings. */
  readonly findings: ReadonlyArray<string>
  readonly tasks: ReadonlyArray<NamedTask>
  readonly from: number
  /** When an agent first answered the round's request; null before. */
  readonly answeredAt: number | null
  readonly to: number | null
  readonly end: RoundEnd | null
  readonly skipped: SkipCause | null
  /** The last answer to each finding. */
  readonly answers: ReadonlyArray<Answer>
  readonly protectedFiles: ReadonlyArray<{ readonly agent: number; readonly file: string }>
  readonly problems: ReadonlyArray<{ readonly agent: number; readonly text: string }>
  /** The tasks that its agents report as done. */
  readonly claimed: ReadonlyArray<number>
  readonly reviews: ReadonlyArray<PlanEventOf<"CodeReviewed"> & { readonly at: number }>
  readonly analysed: PlanEventOf<"ReviewAnalysed"> | null
  readonly accepted: boolean
  /** The tasks that it marked as done. */
  readonly done: ReadonlyArray<number>
  /** The snapshot to which the worktree was restored. */
  readonly restored: number | null
  /** Whether `undo` has taken its changes back, and nothing was reviewed since. */
  readonly undone: boolean
  /** Its commits; `commit` is null if git refused, and `output` says why. */
  readonly commits: ReadonlyArray<
    Pick<ConvergeEventOf<"FixesCommitted">, "commit" | "output"> & { readonly at: number }
  >
  readonly reason: string
  readonly agents: ReadonlyArray<AgentView>
  readonly tests: ReadonlyArray<TestView>
}

/** Everything that the logs of a run say. */
export interface RunFacts {
  readonly ref: RunRef
  readonly worktree: string | null
  /** The plan's file, or null. */
  readonly plan: string | null
  readonly created: number | null
  readonly updated: number | null
  readonly head: Head
  /** The state of its reviews; null in a plan run, and if the log has no beginning. */
  readonly review: RunState | null
  readonly batches: ReadonlyArray<BatchView>
  /** The highest ceiling of a call; null before one is recorded. */
  readonly ceiling: Level | null
  /** The recorded outcomes of its levels. */
  readonly records: ReadonlyArray<LevelRecord>
  readonly failures: number
  readonly rounds: ReadonlyArray<RoundView>
  readonly agents: ReadonlyArray<AgentView>
  /** The tests that ran in no round. */
  readonly tests: ReadonlyArray<TestView>
  /** Its drivers, and the work of agents and tests; null without a driver. */
  readonly drive: DrivenState | null
  readonly warnings: ReadonlyArray<
    Pick<ConvergeEventOf<"BudgetWarned">, "budget" | "limit" | "used"> & { readonly at: number }
  >
  /** What counts as a person's, because nothing shows when an agent or a test ended. */
  readonly missed: ReadonlyArray<Omit<ConvergeEventOf<"EndMissed">, "_tag"> & { readonly at: number }>
  /** How a person answered the ends of drivers, if something has changed. */
  readonly byHand: ReadonlyArray<{ readonly answer: Exclude<PersonAnswer, "Unchanged">; readonly at: number }>
  /** The review runs that converged a plan's code. */
  readonly converged: ReadonlyArray<{ readonly run: string; readonly outcome: string }>
  readonly usage: Spending
  /** Why no run was resumed when this one began, and whether a mark opened it. */
  readonly opened: { readonly because: ResumeReason; readonly byMark: boolean } | null
  /** The last event of the run's own log that is not the end of a call. */
  readonly last: string
  /** Whether its log is about this run, and was not moved here from another one. */
  readonly isOwn: boolean
  /** Whether it has reached its end: no later call continues it. */
  readonly isOver: boolean
  /** When the reviews last progressed, and when the last driver ended. */
  readonly moved: number
  readonly left: number
  /** Why the log could not be read to its end, or null. */
  readonly unread: LogReadError | null
}

// Rounds

/** A round during the fold; agents and tests are added for display. */
type Round = Omit<RoundView, "agents" | "tests">

const nothingDone = {
  answeredAt: null,
  to: null,
  end: null,
  skipped: null,
  answers: [],
  protectedFiles: [],
  problems: [],
  claimed: [],
  reviews: [],
  analysed: null,
  accepted: false,
  done: [],
  restored: null,
  undone: false,
  commits: [],
  reason: ""
} satisfies Partial<Round>

/** Whether an event about a batch is work of its reviewers. */
const isWorkOfReviewers = {
  RunCreated: false,
  BatchStarted: false,
  ReviewStarted: true,
  ReviewFinished: true,
  ReviewFailed: true,
  ReviewStopped: true,
  BatchCompleted: true,
  BatchFailed: true,
  LevelOutcomeRecorded: false,
  BatchOpened: false,
  FixedPointReached: false,
  AddressFailed: false,
  FindingDismissed: false,
  DismissalWithdrawn: false,
  BatchWaived: false,
  StepAborted: false
} as const satisfies Record<Event["_tag"], boolean>

/** The change of a round by an event. */
const changeOf = (round: Round, event: ConvergeEvent | PlanEvent, at: number): Partial<Round> => {
  switch (event._tag) {
    case "RoundAnswered": {
      // An agent that is asked again answers again: its last answer to a finding counts.
      const answers = new Map([...round.answers, ...event.answers].map((one) => [one.fingerprint, one]))
      const files = event.protectedFiles.map((file) => ({ agent: event.agent, file }))
      return {
        answeredAt: round.answeredAt ?? at,
        answers: [...answers.values()],
        protectedFiles: [...round.protectedFiles, ...files]
      }
    }
    case "RetrospectiveSkipped":
      return { skipped: event.because, end: "Skipped" }
    case "WorktreeRestored":
      return { restored: event.snapshot }
    case "FixesCommitted":
      return event.made === false
        ? {}
        : { commits: [...round.commits, { commit: event.commit, output: event.output, at }] }
    case "RoundConcluded":
      return { reason: event.reason.text, end: round.end ?? event.mark }
    case "WorkTaken":
      return {
        answeredAt: round.answeredAt ?? at,
        claimed: event.tasks.length === 0 ? round.claimed : event.tasks,
        problems: [...round.problems, ...event.problems.map((text) => ({ agent: event.agent, text }))],
        protectedFiles: [
          ...round.protectedFiles,
          ...event.protectedFiles.map((file) => ({ agent: event.agent, file }))
        ]
      }
    case "CodeReviewed":
      // A new review voids what followed from an earlier review of the same round.
      return {
        reviews: [...round.reviews, { ...event, at }],
        analysed: event.round === 0 ? null : round.analysed,
        accepted: false
      }
    case "ReviewAnalysed":
      return { analysed: event }
    case "CycleAccepted":
      return { accepted: true }
    case "TasksMarked":
      return { done: event.tasks }
    case "RoundClosed":
      return event.because === "Marked" ? { to: at } : { to: at, end: event.because }
    case "CycleClosed":
      return { to: at, end: event.because === "Marked" ? "Accepted" : event.because }
    default:
      return {}
  }
}

/** The round of an event, or null. `CodeReviewed` counts fixes as rounds of its cycle. */
const roundOf = (event: ConvergeEvent | PlanEvent): number | null =>
  "cycle" in event ? event.cycle : "round" in event ? event.round : null

const begun = (event: ConvergeEvent | PlanEvent, at: number): Round | null => {
  if (event._tag === "RoundStarted") {
    const { batch, findings, kind, level, round } = event
    const about = { level, batch }
    return {
      ...nothingDone,
      round,
      kind: kind === "AddressBatch" ? "Address" : kind,
      about,
      findings,
      tasks: [],
      from: at
    }
  }
  if (event._tag !== "CycleStarted") return null
  const { cycle: round, tasks } = event
  return { ...nothingDone, round, kind: "Tasks", about: null, findings: [], tasks, from: at }
}

// Batches

const verdictOf = (batch: StartedBatch, waived: boolean): BatchVerdict => {
  const finished = slotsOf(batch, "Finished")
  if (finished.length === batch.size) {
    return finished.every(({ verdict }) => verdict === "Clean") ? "Clean" : waived ? "Waived" : "Issues"
  }
  return batch.failedAt > 0 ? "Failed" : batch.stopped ? "Stopped" : "Unfinished"
}

const restarts: ReadonlyArray<BatchCause | null> = ["Restarted", "TargetChanged"]

/** How a batch follows the previous one. A run that begins again at its floor restarts, even if it was there. */
const stepOf = (before: Pick<BatchView, "level"> | undefined, left: BatchCause | null, level: Level): Step => {
  if (before === undefined) return "Began"
  if (restarts.includes(left)) return "Restarted"
  const moved = compare(level, before.level)
  return moved > 0 ? "Climbed" : moved < 0 ? "Dropped" : "Stayed"
}

type Batch = { -readonly [K in keyof Omit<BatchView, "verdict">]: BatchView[K] } & { waived: boolean }

const isAbout = (
  { repoId, runId, targetKey }: RunRef,
  begun: EventOf<"RunCreated"> | PlanEventOf<"PlanStarted"> | null
): boolean =>
  begun?.runId === runId &&
  (begun._tag === "PlanStarted" || begun.repoId === repoId && isKeyOf(targetKey, begun.target))

// Events that say nothing about the progress of the reviews.
const asides: ReadonlySet<string> = new Set(["StepAborted", "FindingDismissed", "DismissalWithdrawn", "BatchWaived"])

/** Folds the events of a run's logs, in the order of each log. */
export const runFold = () => {
  let head = beginning
  let created: number | null = null
  let updated: number | null = null
  let worktree: string | null = null
  let plan: string | null = null
  let review: RunState | null = null
  let drive: ConvergeState | PlanState | null = null
  let begunBy: EventOf<"RunCreated"> | PlanEventOf<"PlanStarted"> | null = null
  let unknown: Newer | null = null
  let opened: RunFacts["opened"] = null
  let last = ""
  let moved = 0
  let left = 0
  let failures = 0
  let reviews: Usage = noUsage
  let ceiling: Level | null = null
  let cause: BatchCause | null = null
  const batches: Array<Batch> = []
  const records: Array<LevelRecord> = []
  const rounds = new Map<number, Round>()
  const agents = new Map<number, Times>()
  const tests = new Map<number, Times>()
  const warnings: Array<RunFacts["warnings"][number]> = []
  const byHand: Array<RunFacts["byHand"][number]> = []
  const missed: Array<RunFacts["missed"][number]> = []
  const converged: Array<{ readonly run: string; readonly outcome: string }> = []

  const inBatch = (event: Event, at: number): void => {
    if (event._tag === "BatchOpened") cause ??= event.cause
    if (event._tag === "BatchOpened" || !("batch" in event)) return
    const current = review !== null && review.batch._tag === "Started" && review.current_level === event.level &&
        review.batch_number === event.batch
      ? review.batch
      : null
    if (event._tag === "BatchStarted" && current !== null) {
      const { batch, level } = event
      const step = stepOf(batches.at(-1), cause, level)
      cause = null
      batches.push({ level, batch, step, started: current, from: at, to: at, used: noUsage, waived: false })
      return
    }
    const batch = batches.findLast((one) => one.level === event.level && one.batch === event.batch)
    if (batch === undefined) return
    batch.started = current ?? batch.started
    batch.used = plusUsage(batch.used, usedBy(event))
    if (event._tag === "BatchWaived") batch.waived = true
    if (isWorkOfReviewers[event._tag]) batch.to = at
  }

  /** Adds an event of a review run. */
  const reviewed = ({ after, event, line }: WalkedEvent<Event, WalkedRun>): void => {
    const at = Date.parse(line.at)
    review = after.state?.run ?? review
    unknown ??= after.unknown
    if (event === null || isLogEvent(event)) return
    if (event._tag === "RunCreated") {
      begunBy = event
      opened = { because: event.because, byMark: event.by === "Mark" }
      created = Date.parse(event.createdAt)
      worktree = event.worktree
    }
    if (event._tag === "ReviewFailed") failures++
    if (event._tag !== "StepAborted") last = event._tag
    if (!asides.has(event._tag)) moved = at
    reviews = plusUsage(reviews, usedBy(event))
    if (event._tag === "LevelOutcomeRecorded" || event._tag === "FixedPointReached") ceiling = event.ceiling
    const record = recordOf(event, line.at)
    if (record !== null) records.push(record)
    inBatch(event, at)
  }

  const begin = (times: Map<number, Times>, number: number, at: number) =>
    times.set(number, { from: times.get(number)?.from ?? at, to: null })
  const end = (times: Map<number, Times>, number: number, at: number) =>
    times.set(number, { from: times.get(number)?.from ?? null, to: at })

  /** Whether a person's change led back to where a round began, if only to an older one, as `undo --round` does. */
  const isUndo = (
    { answer, content }: Extract<ConvergeEvent, { readonly _tag: "PersonAnswered" }>,
    state: ConvergeState | PlanState | null
  ): boolean =>
    answer === "Fixed" && state !== null &&
    state.rounds.some(({ started }) => sameContent(started.content, content) === "Same")

  /** Adds an event of a driver. */
  const drove = (
    { after, event, line }: WalkedEvent<ConvergeEvent | PlanEvent, ConvergeState | PlanState>
  ): void => {
    const at = Date.parse(line.at)
    drive = after.state ?? drive
    updated = Math.max(updated ?? 0, at)
    if (event === null || isLogEvent(event)) return
    const number = roundOf(event)
    const round = begun(event, at) ?? (number === null ? undefined : rounds.get(number))
    if (round !== undefined) rounds.set(round.round, { ...round, ...changeOf(round, event, at) })
    switch (event._tag) {
      case "PlanStarted":
        begunBy = event
        plan = event.plan
        worktree = event.worktree
        break
      case "PlanConverged":
        converged.push({ run: event.run, outcome: event.outcome })
        break
      case "DriverEnded":
        left = at
        break
      case "PersonAnswered":
        if (event.answer !== "Unchanged") {
          byHand.push({ answer: isUndo(event, after.state) ? "Undone" : event.answer, at })
        }
        break
      case "BudgetWarned":
        warnings.push({ ...event, at })
        break
      case "EndMissed":
        missed.push({ ...event, at })
        break
      case "AgentStarted":
        begin(agents, event.agent, at)
        break
      case "AgentFinished":
      case "AgentFailed":
      case "AgentStopped":
        end(agents, event.agent, at)
        break
      case "TestStarted":
        begin(tests, event.test, at)
        break
      case "TestFinished":
      case "TestStopped":
        end(tests, event.test, at)
        break
    }
  }

  /** Adds a line of the run's own log, with its place in the walk. */
  const line = ({ after, line: { at, hash, seq } }: WalkedLine<TaggedEvent, unknown>): void => {
    head = { seq, hash }
    created ??= Date.parse(at)
    updated = Math.max(updated ?? 0, Date.parse(at))
    unknown ??= after.unknown
  }

  /** The view of everything added so far; `failure` is why the run's own log, at `path`, ends there. */
  const facts = (ref: RunRef, path: string, failure: LogReadError | null): RunFacts => {
    const never: Times = { from: null, to: null }
    const workers = (drive?.agents.agents ?? []).map((state) => ({ state, ...agents.get(state.agent) ?? never }))
    const checks = (drive?.tests ?? []).map((state) => ({ state, ...tests.get(state.started.test) ?? never }))
    return {
      ref,
      worktree,
      plan,
      created,
      updated,
      head,
      review,
      batches: batches.map(({ waived, ...one }) => ({ ...one, verdict: verdictOf(one.started, waived) })),
      ceiling,
      records: [...records],
      failures,
      rounds: [...rounds.values()].map((round) => ({
        ...round,
        agents: workers.filter(({ state }) => roundOfTask(state.started) === round.round),
        tests: checks.filter(({ state }) => state.started.round === round.round)
      })),
      agents: workers,
      tests: checks.filter(({ state }) => state.started.round === 0),
      drive,
      warnings: [...warnings],
      byHand: [...byHand],
      missed: [...missed],
      converged: [...converged],
      usage: { reviews, agents: drive === null ? noUsage : usageOf(drive.agents) },
      opened,
      isOwn: isAbout(ref, begunBy),
      isOver: review !== null ? review.fixed_point !== null : drive !== null && "isFixed" in drive && isOver(drive),
      last,
      moved,
      left,
      unread: failure ?? (unknown === null ? null : new LogTooNew({ path, reason: unknown }))
    }
  }

  return { reviewed, drove, line, facts }
}

/** How many reviews a run has finished, in its batches and its rounds. */
export const reviewsOf = ({ batches, rounds }: RunFacts): number =>
  batches.reduce((sum, { started }) => sum + slotsOf(started, "Finished").length, 0) +
  rounds.reduce((sum, { reviews }) => sum + reviews.length, 0)

/** The tasks of a plan that a run has marked as done. */
export const doneTasks = ({ rounds }: RunFacts): ReadonlyArray<number> => rounds.flatMap(({ done }) => done)

/** The open round, or null. */
export const openRound = ({ rounds }: RunFacts): RoundView | null => rounds.findLast(({ to }) => to === null) ?? null
