// End: records finished reviews and stops the others.
import { Effect } from "effect"
import { note, recovered } from "../platform/Note.ts"
import { Signals } from "../platform/Process.ts"
import { underWay } from "../run/Batch.ts"
import type { Event, StopCause } from "../run/Event.ts"
import { isFull } from "../run/FullDisk.ts"
import { attemptOf, commit, openAttempts, refresh, type Run, runFields, transact } from "../run/Run.ts"
import type { Limits } from "./Limits.ts"
import { observe } from "./Observe.ts"
import { record } from "./Record.ts"
import { Reviewers } from "./Reviewers.ts"

// Records finished reviews, records that the others of a batch are stopped, then ends their processes.
// The record comes first, so that a step that waits for these reviewers learns that they were stopped.

// Reviewers that are about to be ended have no time limit, and a failure that may be retried is not final.
const unlimited: Limits = { retries: Number.POSITIVE_INFINITY, idleTimeout: null }

/** Records every finished review, so that stopping loses none. LogConflict when another process recorded first. */
export const recordFinished = Effect.fn("End.recordFinished")(function*(run: Run) {
  const seen = yield* observe(run)
  return (yield* record(run, seen, unlimited)).run
})

/** The same for a run that is left anyway: a review that cannot be read is skipped. */
export const recordReadable = Effect.fn("End.recordReadable")((run: Run) =>
  Effect.catch(recordFinished(run), (error) =>
    error._tag === "LogConflict"
      ? Effect.fail(error)
      : Effect.as(recovered("reviews that cannot be read are passed over")(error), run))
)

const endEvents = (run: Run, cause: StopCause): ReadonlyArray<Event> =>
  underWay(run.manifest.batch).map(({ attempts, slot }) => ({
    _tag: "ReviewStopped",
    level: run.manifest.current_level,
    batch: run.manifest.batch_number,
    slot,
    attempt: Math.max(1, attempts),
    cause
  }))

// A signal that arrives now changes nothing more. It is handled all the same: unhandled, it would kill this process.
const hearSignals = Signals.use(({ asked }) =>
  Effect.forkScoped(Effect.interruptible(asked), { startImmediately: true })
)

/**
 * Commits in one line that the batch ends, together with `facts`. Then it ends the reviewers and returns the run.
 * Nothing interrupts this for the few seconds that it takes: otherwise reviewers could live on without a record.
 * LogConflict if another process was first.
 */
export const endOpen = Effect.fn("End.endOpen")(
  function*(run: Run, cause: StopCause, facts: ReadonlyArray<Event> = []) {
    yield* hearSignals
    yield* note("ending what is under way", { because: cause, reviewers: openAttempts(run).length })
    const after = yield* commit(run, [...endEvents(run, cause), ...facts])
    const attempts = openAttempts(run)
    if (attempts.length > 0) yield* (yield* Reviewers).stop(attempts)
    return after
  },
  Effect.scoped,
  Effect.uninterruptible,
  (self, run) => Effect.annotateLogs(self, runFields(run))
)

/** The run after its reviewers were ended, and how many there were; null if no reviewer was under way. */
interface EndedReviews {
  readonly run: Run
  readonly reviewers: number | null
}

const endOnce = Effect.fnUntraced(function*(read: Run, cause: StopCause) {
  const run = yield* (cause === "Fresh" ? recordReadable(read) : recordFinished(read))
  if (underWay(run.manifest.batch).length === 0) return { run, reviewers: null } satisfies EndedReviews
  return { run: yield* endOpen(run, cause), reviewers: openAttempts(run).length } satisfies EndedReviews
})

/** Reads the run again and ends the reviewers of its current batch, even if another step waits for them. */
export const endReviews = Effect.fn("End.endReviews")(function*(run: Run, cause: StopCause) {
  const read = yield* refresh(run)
  const ended = transact(read, (one) => endOnce(one, cause))
  // On a full disk the end cannot be recorded. The reviewers may be filling it, and no other process would end them.
  const stop = Effect.flatMap(
    Reviewers,
    (reviewers) => Effect.catch(reviewers.stop(openAttempts(read)), recovered("reviewers are left running"))
  )
  return yield* Effect.tapError(ended, (error) => cause === "Stop" && isFull(error) ? stop : Effect.void)
})

/** Ends what reviewers of this batch or a killed stop left behind; returns the number of processes. */
export const endRemains = Effect.fn("End.endRemains")(function*(run: Run) {
  const { batch } = run.manifest
  if (batch._tag === "NotStarted") return 0
  // No manifest holds their ids any more; their files are enough to find them.
  const over = batch.slots.filter(({ _tag, attempts }) => _tag !== "Running" && attempts > 0)
    .map((slot) => attemptOf(run, slot, slot.attempts, ""))
  return over.length === 0 ? 0 : yield* (yield* Reviewers).stop(over)
})

export { recordWaivers, waiversOf } from "./Waivers.ts"
