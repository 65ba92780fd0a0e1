// Observe: one look at the open attempts of a run's current batch.
import { Effect } from "effect"
import { slotsOf } from "../core/run/Batch.ts"
import type { AttemptRef } from "../core/run/Refs.ts"
import type { ReviewerState } from "../core/run/ReviewerState.ts"
import { type Run, runningAttempt } from "../runs/Run.ts"
import { Reviewers } from "../services/Reviewers.ts"

/** A reviewer that the log says is running: its attempt, and what one look showed of it. */
export interface SeenReviewer {
  readonly attempt: AttemptRef
  readonly state: ReviewerState
}

/** Looks once at every open attempt of the current batch. With `acting` false nothing is ended or written by it. */
export const observe = Effect.fn("Observe.observe")(function*(run: Run, acting = true) {
  const { batch } = run.manifest
  const running = batch._tag === "NotStarted" ? [] : slotsOf(batch, "Running")
  if (running.length === 0) return []
  const attempts = running.map((slot) => runningAttempt(run, slot))
  const states = yield* (yield* Reviewers).look(attempts, { acting })
  return attempts.flatMap((attempt, i): ReadonlyArray<SeenReviewer> => {
    const state = states[i]
    return state === undefined ? [] : [{ attempt, state }]
  })
})
