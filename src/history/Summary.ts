// Summary: one stored run in a few figures, read from its log.
// The log is read to its end or to the first damage. The summary covers what comes before the damage.
import { Clock, Effect, Stream } from "effect"
import { slotsOf } from "../core/run/Batch.ts"
import { beginning, type Head } from "../core/log/Head.ts"
import type { Level } from "../core/run/Level.ts"
import { type Newer, newerText } from "../core/log/LineProblem.ts"
import { isLogEvent } from "../core/log/LogEvent.ts"
import type { Event, ResumeReason } from "../core/run/Event.ts"
import type { RunState } from "../core/run/Manifest.ts"
import { reviewRun, type WalkedRun } from "../core/run/ReviewRun.ts"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import { RunStore } from "../services/RunStore.ts"
import { ReviewFiles } from "../services/ReviewFiles.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { noUsage, plusUsage, type Usage } from "../core/run/Usage.ts"
import { driverOf, type Spending, spent, usedBy, usedByAgents } from "../runs/Spending.ts"
import { selectAll, type Where } from "../runs/SelectRun.ts"
import { walkLog, type WalkStep } from "../runs/WalkLog.ts"
import { summarisePlan } from "./PlanSummary.ts"
import { unreadable } from "./Unread.ts"
import { type Standing, standing } from "./Standing.ts"
import { recovered } from "../services/Note.ts"

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

const counted = (tally: Tally, step: WalkStep<Event, WalkedRun>): void => {
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

const summariseReviews = Effect.fn("Summary.summarise")(function*(stored: RunRef) {
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
    Stream.runForEachArray((steps) => Effect.sync(() => steps.forEach((step) => counted(tally, step)))),
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
export const runs = Effect.fn("Summary.runs")(function*(where: Where, everywhere: boolean = false) {
  return yield* Effect.forEach(yield* selectAll(where, everywhere), summarise)
})
