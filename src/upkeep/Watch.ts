// Watch: the reviewers of a run that another process steps, until their batch is decided, or a driven run to its end.
// It only looks: it records nothing and ends nothing.
import { Clock, Effect, Option, Stream } from "effect"
import { assess, slotsOf } from "../core/run/Batch.ts"
import type { LiveView } from "../core/driven/LiveView.ts"
import type { Manifest } from "../core/run/Manifest.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Row } from "../core/loop/Row.ts"
import { observe, type SeenReviewer } from "../ooda/Observe.ts"
import { gatherRows } from "../ooda/ReviewerRows.ts"
import { read, refresh, type Run } from "../runs/Run.ts"
import { Signals } from "../services/Signals.ts"
import { spendingOf, type Spent, unspent } from "../runs/Spending.ts"
import { type AgentWork, agentWork } from "./AgentWork.ts"
import { driverEnd, drivenNow, isDriven } from "./WatchDriver.ts"
import { tellWatched } from "./TellWatched.ts"

/**
 * How the watched batch ended, or why nothing of it will change until a step is called. Of a driven run the driver's
 * end is the last one, with its header, or null where it was killed.
 */
export type BatchEnd =
  | { readonly _tag: "NotStarted" }
  | { readonly _tag: "Left" }
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Unrecorded" }
  | { readonly _tag: "Failed"; readonly slots: ReadonlyArray<number> }
  | { readonly _tag: "Complete"; readonly withIssues: number; readonly size: number }
  | { readonly _tag: "DriverEnded"; readonly outcome: string | null }

// Milliseconds between two looks at the log and at liveness; between two looks into transcripts; and how long the step
// that drives the run has to record a review that ended. After that no step is taken to drive the run.
const lookEvery = 200
const showEvery = 1000
const grace = 2000

/** What the log says of the batch that was current when the watch began, or null while it is under way. */
const endOf = (manifest: Manifest, first: Manifest): BatchEnd | null => {
  const { batch } = manifest
  if (manifest.current_level !== first.current_level || manifest.batch_number !== first.batch_number) {
    return { _tag: "Left" }
  }
  // Only the step that drives the run knows whether a failure will be tried again; it records when it will not.
  const status = assess(batch, Number.POSITIVE_INFINITY)
  switch (status._tag) {
    case "NotStarted":
      return { _tag: "NotStarted" }
    case "Running":
      return null
    case "Interrupted":
      return { _tag: "Stopped" }
    case "Failed":
      return { _tag: "Failed", slots: status.failed.map(({ slot }) => slot) }
    case "Complete":
      return { _tag: "Complete", withIssues: status.withIssues, size: batch._tag === "Started" ? batch.size : 0 }
  }
}

/** Whether every reviewer that the log says is open has ended, and nothing else is due. */
const allEnded = ({ batch }: Manifest, seen: ReadonlyArray<SeenReviewer>): boolean =>
  batch._tag === "Started" && seen.length > 0 && seen.every(({ state }) => state._tag !== "Alive") &&
  slotsOf(batch, "Queued").length === 0

/**
 * What watching shows: the reviewers as they are now; then, as the last thing, how their batch ended. In a driven run
 * `driven` is there as long as a driver is at work, and `over` tells once of each batch how it ended.
 */
export type Watched =
  & (
    | {
      readonly _tag: "Reviewers"
      readonly manifest: Manifest
      readonly rows: ReadonlyArray<Row>
      readonly driven?: LiveView
      readonly over?: { readonly end: BatchEnd; readonly manifest: Manifest }
    }
    | { readonly _tag: "Ended"; readonly manifest: Manifest; readonly end: BatchEnd }
  )
  & { readonly at: number }
  & AgentWork

/**
 * The state of watching: the run, when rows are due again, and since when all reviewers have ended without a record.
 */
interface Looking {
  readonly run: Run
  readonly isFirst: boolean
  readonly showAt: number
  readonly endedSince: number | null
  readonly spent: Spent
  /** The batch that is watched, as it was when that began, and whether its end has been told. */
  readonly first: Manifest
  readonly told: boolean
  /** Whether a driver was at work at the last look. */
  readonly driven: boolean
}

/** The batch that is watched next: in a driven run the watch goes on with the one that the run has moved on to. */
const nextBatch = (before: Looking, manifest: Manifest, told: boolean): Pick<Looking, "first" | "told"> =>
  endOf(manifest, before.first)?._tag === "Left"
    ? { first: manifest, told: false }
    : { first: before.first, told: before.told || told }

const look = Effect.fnUntraced(function*(before: Looking) {
  if (!before.isFirst) yield* Effect.sleep(lookEvery)
  const run = yield* refresh(before.run)
  const { manifest } = run
  const seen = yield* observe(run, false)
  const at = yield* Clock.currentTimeMillis
  const endedSince = allEnded(manifest, seen) ? before.endedSince ?? at : null
  const unrecorded = endedSince !== null && at - endedSince >= grace
  const batchEnd: BatchEnd | null = endOf(manifest, before.first) ?? (unrecorded ? { _tag: "Unrecorded" } : null)
  const isDue = at >= before.showAt
  const isLast = batchEnd !== null && !before.driven
  const then = isDue || isLast ? yield* spendingOf(run.ref, before.spent) : before.spent
  const driven = isDue || isLast ? yield* isDriven(run.ref, then) : before.driven
  // A driver that is gone may have told its end after its stream was read.
  const spent = before.driven && !driven ? yield* spendingOf(run.ref, then) : then
  const end = driven ? null : before.driven ? driverEnd(spent) : batchEnd
  const work = agentWork(spent, at)
  const over = driven && !before.told && batchEnd !== null && batchEnd._tag !== "Unrecorded" &&
      batchEnd._tag !== "NotStarted"
    ? { over: { end: batchEnd, manifest: before.first } }
    : {}
  const isShown = isDue || (end !== null && end._tag !== "Left")
  const shown: ReadonlyArray<Watched> = isShown || "over" in over
    ? [{
      _tag: "Reviewers",
      at,
      manifest,
      rows: yield* gatherRows(run, seen),
      ...(yield* drivenNow(run.ref, spent, driven, at)),
      ...over,
      ...work
    }]
    : []
  if (end !== null) {
    return [[...shown, { _tag: "Ended", at, manifest: before.first, end, ...work } as const], Option.none()] as const
  }
  const next: Looking = {
    run,
    isFirst: false,
    showAt: isShown ? at + showEvery : before.showAt,
    endedSince,
    spent,
    driven,
    ...nextBatch(before, manifest, "over" in over)
  }
  return [shown, Option.some(next)] as const
})

/**
 * The reviewers of a run's current batch, once a second until the batch is decided or only a step can go on with it.
 * While a driver is at work it goes on over batches and rounds until the driver has ended. To stop watching, end the
 * stream. The rows say what a reviewer does only where `Progress` is provided.
 */
export const watch = (ref: RunRef) =>
  Stream.unwrap(Effect.gen(function*() {
    const run = yield* read(ref)
    const beginning: Looking = {
      run,
      isFirst: true,
      showAt: 0,
      endedSince: null,
      spent: unspent,
      first: run.manifest,
      told: false,
      driven: false
    }
    return Stream.paginate(beginning, look)
  }))

/** Watches a run until its batch is decided, or its driver has ended, or until a signal. */
export const watchRun = Effect.fn("Watch.watchRun")(function*(ref: RunRef, json: boolean) {
  const { told } = yield* tellWatched(json)
  // Signals are heard before the first line is written: a person who has seen it can end the watch in order.
  yield* Effect.raceFirst((yield* Signals).asked, Stream.runForEach(watch(ref), told))
})
