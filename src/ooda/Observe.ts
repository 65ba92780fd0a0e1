// Observe: one look at the open attempts of a run's current batch.
import { Effect } from "effect"
import { slotsOf } from "../core/run/Batch.ts"
import type { Level } from "../core/run/Level.ts"
import type { ReviewerState } from "../core/run/ReviewerState.ts"
import { type Run, runningAttempt } from "../runs/Run.ts"
import { type Attempt, Reviewers } from "../services/Reviewers.ts"

/** A reviewer that the log says is running: its attempt, that attempt's place, and what one look showed of it. */
export interface SeenReviewer {
  readonly place: {
    readonly level: Level
    readonly batch: number
    readonly slot: number
    readonly attempt: number
  }
  readonly attempt: Attempt
  readonly state: ReviewerState
}

/** Looks once at every open attempt of the current batch. With `acting` false nothing is ended or written by it. */
export const observe = Effect.fn("Observe.observe")(function*(run: Run, acting = true) {
  const { batch, batch_number, current_level } = run.manifest
  const running = batch._tag === "NotStarted" ? [] : slotsOf(batch, "Running")
  if (running.length === 0) return []
  const attempts = running.map((slot) => runningAttempt(run, slot))
  const states = yield* (yield* Reviewers).look(attempts, { acting })
  return attempts.flatMap((attempt, i): ReadonlyArray<SeenReviewer> => {
    const state = states[i]
    const place = { level: current_level, batch: batch_number, slot: attempt.slot, attempt: attempt.attempt }
    return state === undefined ? [] : [{ place, attempt, state }]
  })
})
