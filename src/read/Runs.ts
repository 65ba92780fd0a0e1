// Runs: stored runs: standing, figures, table.
import { Clock, Effect, Stream } from "effect"
import { usageOf } from "../agent/State.ts"
import { driverOf, type Spending, spendingText, spent, usedBy, usedByAgents } from "../drive/Spending.ts"
import type { PlanEvent } from "../drive/plan/Event.ts"
import { planRun, type PlanState } from "../drive/plan/State.ts"
import { type LogReadError, unavailableText } from "../log/EventLog.ts"
import { type Newer, newerText } from "../log/Frame.ts"
import type { RunRef } from "../log/Refs.ts"
import { beginning, type Head, isLogEvent } from "../log/StreamKind.ts"
import { walkLog, type WalkStep } from "../log/Walk.ts"
import { recovered } from "../platform/Note.ts"
import { ReviewFiles } from "../review/ReviewFiles.ts"
import { assess, slotsOf } from "../run/Batch.ts"
import { changedUnderReview } from "../run/Decide.ts"
import type { Event, ResumeReason } from "../run/Event.ts"
import type { Level } from "../run/Level.ts"
import type { RunState } from "../run/Manifest.ts"
import { reviewRun, type WalkedRun } from "../run/ReviewRun.ts"
import { isPlanRun } from "../run/RunKind.ts"
import { RunStore } from "../run/RunStore.ts"
import { selectAll, type SearchPlace } from "../step/Selection.ts"
import { noUsage, plusUsage, type Usage } from "../run/Usage.ts"
import { jsonText } from "../text/Json.ts"
import { counted, span } from "../text/Phrases.ts"
import { brief } from "../text/Untrusted.ts"
import { columns } from "../text/Width.ts"

// Where a run stands, in one token for programs and a few words for people.
// It follows from the log and one look at open reviewers, and names who has to act next.

/**
 * `NextStep`: the program has to be called again. `PlanUnderWay`, `PlanLeft` and `PlanDone` are of plan runs alone.
 * `Damaged`, `Rewound`, `TooNew`, `Unreadable` and `Empty` say that the log could not be read to its end, or has no
 * line at all.
 */
export type StandingKind =
  | "Running"
  | "NextStep"
  | "Stopped"
  | "Failed"
  | "AddressBatch"
  | "Retrospective"
  | "TestsFailedTriage"
  | "FixedPoint"
  | "PlanUnderWay"
  | "PlanLeft"
  | "PlanDone"
  | "Damaged"
  | "Rewound"
  | "TooNew"
  | "Unreadable"
  | "Empty"

interface Standing {
  readonly kind: StandingKind
  readonly text: string
}

/** What decides a standing besides the state: how many open reviewers live, and the last event of the log. */
interface Signs {
  readonly alive: number
  readonly last: string
}

const next: Standing = { kind: "NextStep", text: "waiting for the next step" }

/** Whether the log says that no issue of the current batch blocks. */
const isWaived = ({ batch_number, current_level, strict }: RunState): boolean => {
  const last = strict?.last[current_level]
  return last?.batch === batch_number && last.waiver !== undefined
}

/** Where a run stands that was read to the end of its log. */
export const standing = (state: RunState, { alive, last }: Signs): Standing => {
  const { batch, fixed_point } = state
  if (fixed_point !== null) return { kind: "FixedPoint", text: `fixed point at ${fixed_point.level}` }
  if (batch._tag === "NotStarted") return next
  if (last === "AddressFailed") return { kind: "TestsFailedTriage", text: "waiting for a human: tests failed" }
  const open = slotsOf(batch, "Running").length
  if (alive > 0) return { kind: "Running", text: `running: ${alive} of ${counted(batch.size, "reviewer")}` }
  if (open > 0) {
    return { kind: "NextStep", text: `${next.text}: ${counted(open, "reviewer has", "reviewers have")} ended` }
  }
  // Retries belong to the invocation; between two of them a transient failure is a failure.
  const status = assess(batch, 0)
  switch (status._tag) {
    case "NotStarted":
    case "Running":
      return next
    case "Interrupted":
      return { kind: "Stopped", text: "stopped: waiting for the next step" }
    case "Failed":
      return { kind: "Failed", text: `failed: slot ${status.failed.map(({ slot }) => slot).join(", ")}` }
    case "Complete":
      if (status.withIssues > 0 && !isWaived(state)) return { kind: "AddressBatch", text: "waiting for AddressBatch" }
      return changedUnderReview(batch) ? next : { kind: "Retrospective", text: "waiting for Retrospective" }
  }
}

// Where a run stands whose log could not be read to its end.

const unread = {
  LogMissing: "Empty",
  LogDamaged: "Damaged",
  LogRewound: "Rewound",
  LogTooNew: "TooNew",
  LogUnavailable: "Unreadable"
} as const satisfies Record<LogReadError["_tag"], Standing["kind"]>

/** Where such a run stands. */
export const unreadable = (error: LogReadError): Standing => {
  switch (error._tag) {
    case "LogMissing":
      return { kind: unread[error._tag], text: "empty: no log" }
    case "LogDamaged":
      return { kind: unread[error._tag], text: `damaged at line ${error.line}: ${error.kind}` }
    case "LogRewound":
      return { kind: unread[error._tag], text: `the log was ${error.kind}` }
    case "LogTooNew":
      return { kind: unread[error._tag], text: `needs a newer version: ${newerText(error.reason)}` }
    case "LogUnavailable":
      return { kind: unread[error._tag], text: unavailableText(error.reason) }
  }
}

// Where a plan run stands, in one token for programs and a few words for people.

/** Where a plan run stands: what its cycles have marked as done, and what its last driver ended in. */
export const planStanding = ({ cycles, drivers }: PlanState): Standing => {
  const done = cycles.reduce((sum, { marked }) => sum + (marked?.tasks.length ?? 0), 0)
  const cycle = cycles.findLast(({ closed }) => closed === null)?.started.cycle
  const where = `${counted(done, "task")} done${cycle === undefined ? "" : `, in cycle ${cycle}`}`
  const outcome = drivers.at(-1)?.outcome ?? null
  return outcome === null
    ? { kind: "PlanUnderWay", text: `${where}, not ended` }
    : {
      kind: outcome.startsWith("Done") && outcome !== "DoneAborted" ? "PlanDone" : "PlanLeft",
      text: `${where}, ${brief(outcome, 80)}`
    }
}

interface PlanSeen {
  state: PlanState | null
  head: Head
  created: string | null
  updated: string | null
}

const seenPlan = (seen: PlanSeen, step: WalkStep<PlanEvent, PlanState>): void => {
  if (step._tag === "End") return
  const { after, line } = step
  seen.state = after.state ?? seen.state
  seen.head = { seq: line.seq, hash: line.hash }
  seen.created ??= line.at
  seen.updated = line.at
}

/** Reads a plan run in a few figures. Its reviews are those of its cycles, and there are no levels. */
export const summarisePlan = Effect.fn("Runs.summarisePlan")(function*(stored: RunRef) {
  const { runPlaces } = yield* RunStore
  const seen: PlanSeen = { state: null, head: beginning, created: null, updated: null }
  const failure = yield* walkLog(planRun, stored).pipe(
    Stream.runForEachArray((steps) => Effect.sync(() => steps.forEach((step) => seenPlan(seen, step)))),
    Effect.tapError(recovered("the run is listed as unreadable")),
    Effect.match({ onFailure: (error) => error, onSuccess: () => null })
  )
  const { created, head, state, updated } = seen
  return {
    run: stored.runId,
    repo: stored.repoId,
    target: stored.targetKey,
    worktree: state?.started.worktree ?? null,
    directory: runPlaces(stored).directory,
    floor: null,
    level: null,
    batch: null,
    batches: state?.cycles.length ?? 0,
    reviews: state?.cycles.reduce((sum, { reviews }) => sum + reviews.length, 0) ?? 0,
    failures: 0,
    created,
    updated,
    milliseconds: created === null || updated === null ? null : Math.max(0, Date.parse(updated) - Date.parse(created)),
    head,
    standing: failure !== null
      ? unreadable(failure)
      : state === null
      ? { kind: "Empty", text: "empty: no line" }
      : planStanding(state),
    opened: null,
    ...spent({ reviews: noUsage, agents: state === null ? noUsage : usageOf(state.agents) })
  } satisfies Summary
})

// One stored run in a few figures, read from its log.
// The log is read to its end or to the first damage. The summary covers what comes before the damage.

/** A run in figures. `floor`, `level` and `worktree` are null where the log does not tell; times are ISO texts. */
export interface Summary {
  readonly run: string
  readonly repo: string
  readonly target: string
  readonly worktree: string | null
  readonly directory: string
  readonly floor: Level | null
  readonly level: Level | null
  readonly batch: number | null
  readonly batches: number
  readonly reviews: number
  readonly failures: number
  readonly created: string | null
  readonly updated: string | null
  /** From its creation to its last line, or until now while reviewers run; null where the log does not tell. */
  readonly milliseconds: number | null
  readonly head: Head
  readonly standing: Standing
  /** Why no run was resumed when this one began, and whether a mark opened it; null where the log does not tell. */
  readonly opened: { readonly because: ResumeReason; readonly byMark: boolean } | null
  /** The tokens that its reviews and the agents of its driver have used, where any log tells of some. */
  readonly usage?: Spending
}

interface Tally {
  /** The last state that is known: what follows an event of a newer version is not. */
  state: RunState | null
  unknown: Newer | null
  head: Head
  updated: string | null
  reviews: number
  failures: number
  last: string
  opened: Summary["opened"]
  used: Usage
}

const countStep = (tally: Tally, step: WalkStep<Event, WalkedRun>): void => {
  if (step._tag === "End") return
  const { after, happenings, line } = step
  for (const { after, event } of happenings) {
    tally.state = after.state?.run ?? tally.state
    if (event === null || isLogEvent(event)) continue
    if (event._tag === "RunCreated") tally.opened = { because: event.because, byMark: event.by === "Mark" }
    if (event._tag === "ReviewFinished") tally.reviews++
    if (event._tag === "ReviewFailed") tally.failures++
    tally.used = plusUsage(tally.used, usedBy(event))
    if (event._tag !== "StepAborted") tally.last = event._tag
  }
  tally.unknown = after.unknown
  tally.head = { seq: line.seq, hash: line.hash }
  tally.updated = line.at
}

/** How many of the current batch's open reviewers live. What cannot be looked at counts as ended. */
const living = Effect.fnUntraced(function*(run: RunRef, { batch, batch_number, current_level }: RunState) {
  if (batch._tag === "NotStarted") return 0
  const files = yield* ReviewFiles
  const current = { run, level: current_level, batch: batch_number }
  const fates = yield* Effect.forEach(
    slotsOf(batch, "Running"),
    ({ attempts, slot }) =>
      files.fate({ ...current, slot, attempt: attempts }).pipe(
        Effect.catch((error) =>
          Effect.as(recovered("a reviewer that cannot be looked at counts as gone")(error), "Gone" as const)
        )
      )
  )
  return fates.filter((fate) => fate === "Alive").length
})

/** Reads a stored run. Never fails: the standing of a run says that its log is damaged. */
export const summarise = (stored: RunRef) => isPlanRun(stored) ? summarisePlan(stored) : summariseReviews(stored)

const summariseReviews = Effect.fn("Runs.summarise")(function*(stored: RunRef) {
  const { runPlaces } = yield* RunStore
  const tally: Tally = {
    state: null,
    unknown: null,
    head: beginning,
    updated: null,
    reviews: 0,
    failures: 0,
    last: "",
    opened: null,
    used: noUsage
  }
  const failure = yield* walkLog(reviewRun, stored).pipe(
    Stream.runForEachArray((steps) => Effect.sync(() => steps.forEach((step) => countStep(tally, step)))),
    Effect.tapError(recovered("the run is listed as unreadable")),
    Effect.match({ onFailure: (error) => error, onSuccess: () => null })
  )
  const { failures, head, last, reviews, state, unknown, updated } = tally
  const alive = failure === null && unknown === null && state !== null ? yield* living(stored, state) : 0
  const how: Standing = failure !== null
    ? unreadable(failure)
    : unknown !== null
    ? { kind: "TooNew", text: `needs a newer version: ${newerText(unknown)}` }
    : state === null
    ? { kind: "Empty", text: "empty: no line" }
    : standing(state, { alive, last })
  const end = alive > 0 ? yield* Clock.currentTimeMillis : updated === null ? Number.NaN : Date.parse(updated)
  const milliseconds = state === null ? Number.NaN : end - Date.parse(state.created_at)
  return {
    run: stored.runId,
    repo: stored.repoId,
    target: stored.targetKey,
    worktree: state?.worktree ?? null,
    directory: runPlaces(stored).directory,
    floor: state?.start_level ?? null,
    level: state?.current_level ?? null,
    batch: state?.batch_number ?? null,
    batches: state?.batches ?? 0,
    reviews,
    failures,
    created: state?.created_at ?? null,
    updated,
    milliseconds: Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : null,
    head,
    standing: how,
    opened: tally.opened,
    ...spent({ reviews: tally.used, agents: usedByAgents(yield* driverOf(stored)) })
  } satisfies Summary
})

/**
 * The runs of the repository around a directory, or of the whole state root, newest first, each in a few figures. Only
 * reads.
 */
export const runs = Effect.fn("Runs.runs")(function*(where: SearchPlace, everywhere: boolean = false) {
  return yield* Effect.forEach(yield* selectAll(where, everywhere), summarise)
})

// Runs as a table for people and as a document for programs.
// One line a run; what a log or a directory says cannot break it.

/** Which columns are of use: repository and worktree only where runs of several are listed. */
interface Columns {
  readonly repository: boolean
  readonly worktree: boolean
}

/** Tokens have a column only where some are known. */
interface Shown extends Columns {
  readonly tokens: boolean
}

const levels = ({ floor, level }: Summary): string =>
  floor === null || level === null ? "-" : level === floor ? floor : `${floor}..${level}`

const reviews = ({ failures, reviews }: Summary): string =>
  failures === 0 ? String(reviews) : `${reviews} (+${failures} failed)`

const cells = (run: Summary, { repository, tokens, worktree }: Shown): ReadonlyArray<string> => [
  run.run,
  ...(repository ? [run.repo] : []),
  run.target,
  levels(run),
  String(run.batches),
  reviews(run),
  run.milliseconds === null ? "-" : span(run.milliseconds),
  ...(tokens ? [run.usage === undefined ? "-" : spendingText(run.usage)] : []),
  ...(worktree ? [run.worktree ?? "-"] : []),
  run.standing.text + (run.opened?.byMark === true ? ` (opened by a mark: ${run.opened.because})` : "")
]

const heading = ({ repository, tokens, worktree }: Shown): ReadonlyArray<string> => [
  "RUN",
  ...(repository ? ["REPOSITORY"] : []),
  "TARGET",
  "LEVELS",
  "BATCHES",
  "REVIEWS",
  "DURATION",
  ...(tokens ? ["TOKENS"] : []),
  ...(worktree ? ["WORKTREE"] : []),
  "OUTCOME"
]

/** The table, newest first as given, with a heading and a newline at its end. */
export const runsTable = (runs: ReadonlyArray<Summary>, which: Columns): string => {
  if (runs.length === 0) return "no runs\n"
  const shown = { ...which, tokens: runs.some(({ usage }) => usage !== undefined) }
  return columns([heading(shown), ...runs.map((run) => cells(run, shown))])
}

/** The document of `runs --json`: one line, newest first as given. */
export const runsJson = (runs: ReadonlyArray<Summary>): string =>
  `${
    jsonText({
      schema: 1,
      runs: runs.map(({ repo, run, standing: { kind, text }, target, ...rest }) => ({
        run: { run, repo, target },
        ...rest,
        outcome: kind,
        outcomeText: text
      }))
    })
  }\n`
