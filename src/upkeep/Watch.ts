// Watch: the reviewers of a run that another process drives, for as long as their batch is not decided.
// It only looks: it records nothing and ends nothing.
import { Clock, Effect, Option, Stream } from "effect"
import { assess, slotsOf } from "../core/run/Batch.ts"
import type { Manifest } from "../core/run/Manifest.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Row } from "../core/loop/Row.ts"
import { observe, type SeenReviewer } from "../ooda/Observe.ts"
import { gatherRows } from "../ooda/ReviewerRows.ts"
import { read, refresh, type Run } from "../runs/Run.ts"
import { Output } from "../services/Output.ts"
import { Progress } from "../services/Progress.ts"
import { Signals } from "../services/Signals.ts"
import { spendingOf, type Spent, unspent } from "../runs/Spending.ts"
import { type AgentWork, agentWork, workLines } from "./AgentWork.ts"
import { changeJson, changeText, endingJson, endingText } from "./WatchText.ts"

/** How the watched batch ended, or why nothing of it will change until a step is called. */
export type BatchEnd =
  | { readonly _tag: "NotStarted" }
  | { readonly _tag: "Left" }
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Unrecorded" }
  | { readonly _tag: "Failed"; readonly slots: ReadonlyArray<number> }
  | { readonly _tag: "Complete"; readonly withIssues: number; readonly size: number }

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

/** The part of a row whose change is printed. The times are left out: they change with every look. */
const essence = ({ activity, slot, state }: Row): string => `${slot} ${state} ${activity}`

/** What watching shows: the reviewers as they are now; then, as the last thing, how their batch ended. */
export type Watched =
  & (
    | { readonly _tag: "Reviewers"; readonly manifest: Manifest; readonly rows: ReadonlyArray<Row> }
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
}

const look = (first: Manifest) =>
  Effect.fnUntraced(function*(before: Looking) {
    if (!before.isFirst) yield* Effect.sleep(lookEvery)
    const run = yield* refresh(before.run)
    const { manifest } = run
    const seen = yield* observe(run, false)
    const at = yield* Clock.currentTimeMillis
    const endedSince = allEnded(manifest, seen) ? before.endedSince ?? at : null
    const unrecorded = endedSince !== null && at - endedSince >= grace
    const end: BatchEnd | null = endOf(manifest, first) ?? (unrecorded ? { _tag: "Unrecorded" } : null)
    const isDue = (end !== null && end._tag !== "Left") || at >= before.showAt
    const spent = isDue || end !== null ? yield* spendingOf(run.ref, before.spent) : before.spent
    const work = agentWork(spent, at)
    const shown: ReadonlyArray<Watched> = isDue
      ? [{ _tag: "Reviewers", at, manifest, rows: yield* gatherRows(run, seen), ...work }]
      : []
    if (end !== null) {
      return [[...shown, { _tag: "Ended", at, manifest: first, end, ...work } as const], Option.none()] as const
    }
    const showAt = isDue ? at + showEvery : before.showAt
    return [shown, Option.some<Looking>({ run, isFirst: false, showAt, endedSince, spent })] as const
  })

/**
 * The reviewers of a run's current batch, once a second until the batch is decided or only a step can go on with it. To
 * stop watching, end the stream. The rows say what a reviewer does only where `Progress` is provided.
 */
export const watch = (ref: RunRef) =>
  Stream.unwrap(Effect.gen(function*() {
    const run = yield* read(ref)
    const beginning: Looking = { run, isFirst: true, showAt: 0, endedSince: null, spent: unspent }
    return Stream.paginate(beginning, look(run.manifest))
  }))

const show = Effect.fnUntraced(function*(ref: RunRef, json: boolean) {
  const output = yield* Output
  const progress = yield* Progress
  const drawn = progress.on && !json
  let told: ReadonlySet<string> = new Set()
  yield* Stream.runForEach(watch(ref), (watched) => {
    const at = new Date(watched.at).toISOString()
    const { manifest } = watched
    // Documents carry the work of agents with them; for people it has lines of its own, below the rows where those are
    // redrawn.
    const lines = json || (drawn && watched._tag === "Reviewers") ? [] : workLines(watched)
    const news = lines.filter(({ essence }) => !told.has(essence)).map(({ text }) => `${at}  ${text}\n`).join("")
    if (watched._tag === "Ended") {
      return output.write(news + (json ? endingJson : endingText)(watched.end, manifest, at, watched))
    }
    if (drawn) return progress.show(watched.rows)
    const changed = watched.rows.filter((row) => !told.has(essence(row)))
    told = new Set([...watched.rows.map(essence), ...lines.map((line) => line.essence)])
    const rows = changed.map((row) => (json ? changeJson : changeText)(row, manifest, at, watched))
    return output.write(rows.join("") + news)
  })
})

/** Watches the current batch of a run until it is decided, or until a signal. */
export const watchRun = Effect.fn("Watch.watchRun")(function*(ref: RunRef, json: boolean) {
  // Signals are heard before the first line is written: a person who has seen it can end the watch in order.
  yield* Effect.raceFirst((yield* Signals).asked, show(ref, json))
})
