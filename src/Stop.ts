// Stop: ends the open reviewers of a run's current batch and records it.
// The one rule: the record comes first, so that a step which waits for them knows they were meant to end.
import { Effect } from "effect"
import { slotsOf } from "./core/Batch.ts"
import type { Event, StopCause } from "./core/Event.ts"
import { CodexProcess } from "./services/CodexProcess.ts"
import { type Run, runningAttempt } from "./Run.ts"

/** The attempts that are open in the current batch. */
export const openAttempts = (run: Run) => {
  const { batch } = run.manifest
  return batch._tag === "NotStarted" ? [] : slotsOf(batch, "Running").map((slot) => runningAttempt(run, slot))
}

/** The events that record the end of every open attempt; none when nothing runs. */
export const stopEvents = (run: Run, cause: StopCause): ReadonlyArray<Event> =>
  openAttempts(run).map(({ attempt, level, slot }) => ({
    _tag: "ReviewStopped",
    level,
    batch: run.manifest.batch_number,
    slot,
    attempt,
    cause
  }))

/** Ends the processes of the attempts that were open in `run`. Nothing of them is left when it returns. */
export const stopProcesses = Effect.fn("Stop.stopProcesses")(function*(run: Run) {
  const attempts = openAttempts(run)
  if (attempts.length > 0) yield* (yield* CodexProcess).stop(attempts)
})
