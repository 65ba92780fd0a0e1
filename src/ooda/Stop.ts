// Stop: ends the open reviewers of a run's current batch and records it.
// The one rule: the record comes first, so that a step which waits for them knows they were meant to end.
import { Effect } from "effect"
import { type Slot, slotsOf } from "../core/run/Batch.ts"
import type { Event, StopCause } from "../core/run/Event.ts"
import { Reviewers } from "../services/Reviewers.ts"
import { attemptOf, commit, type Run, runningAttempt } from "../runs/Run.ts"
import { Signals } from "../services/Signals.ts"

/** The attempts that are open in the current batch. */
export const openAttempts = (run: Run) => {
  const { batch } = run.manifest
  return batch._tag === "NotStarted" ? [] : slotsOf(batch, "Running").map((slot) => runningAttempt(run, slot))
}

/**
 * The slots of the current batch that are under way: their reviewers run, a transient failure waits for its next
 * attempt, or the one slot that is next when a limit holds them all back. A step that waits for them learns from
 * their end that it is to end too.
 */
const underWay = ({ batch }: Run["manifest"]): ReadonlyArray<Slot> => {
  if (batch._tag === "NotStarted") return []
  const retried = batch.failedAt > 0 ? [] : slotsOf(batch, "Failed").filter(({ transient }) => transient)
  const open = [...slotsOf(batch, "Running"), ...retried]
  return open.length > 0 || batch.stopped ? open : slotsOf(batch, "Queued").slice(0, 1)
}

/** The events that record the end of whatever is under way; none when nothing is. */
export const stopEvents = (run: Run, cause: StopCause): ReadonlyArray<Event> =>
  underWay(run.manifest).map(({ attempts, slot }) => ({
    _tag: "ReviewStopped",
    level: run.manifest.current_level,
    batch: run.manifest.batch_number,
    slot,
    attempt: Math.max(1, attempts),
    cause
  }))

/** Ends the processes of the attempts that were open in `run`. Nothing of them is left when it returns. */
export const stopProcesses = Effect.fn("Stop.stopProcesses")(function*(run: Run) {
  const attempts = openAttempts(run)
  if (attempts.length > 0) yield* (yield* Reviewers).stop(attempts)
})

/**
 * Ends what is left of attempts that were recorded as stopped: nothing, unless whoever recorded it was killed before
 * it had ended them.
 */
export const stopRemains = Effect.fn("Stop.stopRemains")(function*(run: Run) {
  const { batch } = run.manifest
  if (batch._tag === "NotStarted" || !batch.stopped) return
  // Their ids are in no manifest any more; their places are enough to find them.
  const left = slotsOf(batch, "Queued").filter(({ attempts }) => attempts > 0)
    .map((slot) => attemptOf(run, slot, slot.attempts, ""))
  if (left.length > 0) yield* (yield* Reviewers).stop(left)
})

// From the record to the last end a signal to this process waits: half an end would leave reviewers to nobody.
const deaf = Signals.use(({ asked }) => Effect.forkScoped(Effect.interruptible(asked), { startImmediately: true }))

/**
 * Commits events that end what is under way in `run`, then brings that end about; the run as it stands then. Nothing
 * comes in between: an interruption waits for the few seconds that it may take. LogConflict when another was first.
 */
export const commitEnd = Effect.fn("Stop.commitEnd")(function*(run: Run, events: ReadonlyArray<Event>) {
  yield* deaf
  const after = yield* commit(run, events)
  yield* stopProcesses(run)
  return after
}, Effect.scoped, Effect.uninterruptible)
