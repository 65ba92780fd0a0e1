// Run: an opened run as a value: its reference, its folded manifest and the head it was folded to.
// A change is committed on condition of the head that it was decided from, and returns the new head.
import { Clock, Effect } from "effect"
import type { Commit, Head } from "../log/StreamKind.ts"
import type { Event, ResumeReason } from "./Event.ts"
import { fold, type Manifest, replay } from "./Manifest.ts"
import type { RunRef } from "../log/Refs.ts"
import type { AttemptRef, BatchRef } from "./Refs.ts"
import { type Slot, slotsOf } from "./Batch.ts"
import { reviewRun } from "./ReviewRun.ts"
import { readRunLog } from "./RunLog.ts"
import { EventLog, LogConflict, type LogReadError } from "../log/EventLog.ts"
import { NoSuchRun } from "./Owner.ts"
import { type Fields, note, recovered } from "../platform/Note.ts"

/** A run as last read: `ref` names it, `head` is the last line folded into `manifest`. */
export interface Run {
  readonly ref: RunRef
  readonly manifest: Manifest
  readonly head: Head
  /** Why this invocation created the run; absent if it resumed one. */
  readonly opened?: ResumeReason
}

/** Whether a run is stored: an inspection treats a run that does not exist yet as if it did. */
export const isBegun = ({ head }: Run): boolean => head.seq > 0

/** The present state of a stored run, whichever worktree it belongs to. */
export const read = Effect.fn("Run.read")(function*(ref: RunRef) {
  const { commits, head } = yield* readRunLog(ref)
  const manifest = fold(commits)
  if (manifest === null) return yield* new NoSuchRun({ reason: { _tag: "NotBegun", runId: ref.runId } })
  return { ref, manifest, head } satisfies Run
})

/**
 * Commits events on the run's head. LogConflict if another process committed first: read again, decide again. Nothing
 * fails once the line is durable, because the caller would then do the same a second time: if the log cannot be read
 * back, the run is computed from the events that were written.
 */
export const commit = (run: Run, events: ReadonlyArray<Event>) =>
  Effect.map(commitLine(run, events), (done) => done.run)

/** The same, with the committed line: others may have committed further lines before the run is read. */
export const commitLine = Effect.fn("Run.commitLine")(function*(run: Run, events: ReadonlyArray<Event>) {
  const log = yield* EventLog
  const line = yield* log.append(reviewRun, run.ref, run.head, events)
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const unread = (): Run => ({ ...run, manifest: preview(run, events, at), head: line })
  const after = Effect.tapError(refresh(run), recovered("the run is computed from the events that were written"))
  return { run: yield* Effect.orElseSucceed(after, unread), line }
})

/** The run with all commits of this and other processes since it was read. */
export const refresh = Effect.fn("Run.refresh")(function*(run: Run) {
  const log = yield* EventLog
  const { commits, head } = yield* log.readFrom(reviewRun, run.ref, run.head)
  return commits.length === 0 ? run : { ...run, manifest: replay(run.manifest, commits), head }
})

/**
 * Decides on a run and commits. If another process commits first, it reads and decides again. A caller whose decision
 * is valid for one head only must handle LogConflict itself.
 */
export const transact = <A, E, R>(
  run: Run,
  decide: (run: Run) => Effect.Effect<A, E | LogConflict, R>
): Effect.Effect<A, E | LogReadError, R | EventLog> =>
  Effect.catchIf(
    decide(run),
    (error) => error instanceof LogConflict,
    (error) =>
      recovered("the run is read again and decided again")(error).pipe(
        Effect.andThen(refresh(run)),
        Effect.flatMap((next) => transact(next, decide))
      )
  )

/** The manifest with events that are not committed yet. `at` is the time of their commit. */
export const preview = (run: Run, events: ReadonlyArray<Event>, at = ""): Manifest => {
  const next: Commit<Event> = { seq: run.head.seq + 1, at, events }
  return replay(run.manifest, [next])
}

/** The name of a run and its current batch in notes. */
export const runFields = ({ manifest, ref }: Run): Fields => ({
  run: ref.runId,
  batch: `${manifest.current_level}/${manifest.batch_number}`
})

/** Notes which run an invocation has opened, and why it is a new one. */
export const noteOpened = (run: Run) =>
  note("opened a run", { ...runFields(run), seq: run.head.seq, newBecause: run.opened ?? null })

/** The run's current batch. */
export const currentBatch = ({ manifest, ref }: Run): BatchRef => ({
  run: ref,
  level: manifest.current_level,
  batch: manifest.batch_number
})

/** The attempt with a given number of a slot of the current batch. */
export const attemptOf = (run: Run, slot: Slot, attempt: number, id: string): AttemptRef => ({
  ...currentBatch(run),
  slot: slot.slot,
  attempt,
  id
})

/** The open attempts of the current batch. */
export const openAttempts = (run: Run): ReadonlyArray<AttemptRef> => {
  const { batch } = run.manifest
  return batch._tag === "NotStarted"
    ? []
    : slotsOf(batch, "Running").map((slot) => attemptOf(run, slot, slot.attempts, slot.id))
}
