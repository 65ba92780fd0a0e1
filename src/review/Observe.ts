// Observe: one look at the open attempts of a run's current batch.
import { Effect } from "effect"
import type { AttemptRef } from "../run/Refs.ts"
import type { ReviewerState } from "../run/ReviewTokens.ts"
import { openAttempts, type Run } from "../run/Run.ts"
import { Reviewers } from "./Reviewers.ts"

/** A reviewer that runs according to the log: its attempt, and what one look showed of it. */
export interface SeenReviewer {
  readonly attempt: AttemptRef
  readonly state: ReviewerState
}

/** Looks once at every open attempt of the current batch. With `acting` false nothing is ended or written by it. */
export const observe = Effect.fn("Observe.observe")(function*(run: Run, acting = true) {
  const attempts = openAttempts(run)
  if (attempts.length === 0) return []
  const states = yield* (yield* Reviewers).look(attempts, { acting })
  return attempts.flatMap((attempt, i): ReadonlyArray<SeenReviewer> => {
    const state = states[i]
    return state === undefined ? [] : [{ attempt, state }]
  })
})
