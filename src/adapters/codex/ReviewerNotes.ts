// ReviewerNotes: what is noted of reviewers: started, taken up from an earlier call, ended, stopped.
// A look at a living reviewer is noted only once.
import { Effect } from "effect"
import type { AttemptRef } from "../../core/run/Refs.ts"
import type { ReviewerState } from "../../core/run/ReviewerState.ts"
import { type Fields, note } from "../../services/Note.ts"

/** What names an attempt in a note. */
export const about = ({ attempt, batch, level, run, slot }: AttemptRef): Fields => ({
  run: run.runId,
  batch: `${level}/${batch}`,
  slot,
  attempt
})

/** The notes of the reviewers that one process sees. */
export interface ReviewerNotes {
  readonly started: (attempts: ReadonlyArray<AttemptRef>) => Effect.Effect<void>
  readonly seen: (
    attempts: ReadonlyArray<AttemptRef>,
    states: ReadonlyArray<ReviewerState>
  ) => Effect.Effect<void>
  readonly stopped: (attempts: ReadonlyArray<AttemptRef>, processes: number) => Effect.Effect<void>
}

const saw = (attempt: AttemptRef, state: ReviewerState) => {
  switch (state._tag) {
    case "Alive":
      return note("took up a reviewer that an earlier call started", about(attempt))
    case "Exited": {
      const { deadline, status } = state
      return note("a reviewer exited", { ...about(attempt), status, deadline, oversize: state.oversize ?? false })
    }
    case "Lost":
      return note("a reviewer died without a record of its exit", about(attempt))
    case "Unstarted":
      return note("a reviewer never began", about(attempt))
  }
}

/** Makes the notes of one layer, because each process notes what it sees first. */
export const makeReviewerNotes = (): ReviewerNotes => {
  const living = new Set<string>()
  const each = (attempts: ReadonlyArray<AttemptRef>, told: (attempt: AttemptRef) => Effect.Effect<void>) =>
    Effect.forEach(attempts, told, { discard: true })
  return {
    started: (attempts) =>
      each(attempts, (attempt) => {
        living.add(attempt.id)
        return note("started a reviewer", about(attempt))
      }),
    seen: (attempts, states) =>
      Effect.suspend(() => {
        const news = attempts.flatMap((attempt, i) => {
          const state = states[i]
          if (state === undefined || (state._tag === "Alive" && living.has(attempt.id))) return []
          if (state._tag === "Alive") living.add(attempt.id)
          else living.delete(attempt.id)
          return [saw(attempt, state)]
        })
        return Effect.all(news, { discard: true })
      }),
    stopped: (attempts, processes) =>
      each(attempts, (attempt) => note("stopped a reviewer", { ...about(attempt), processes }))
  }
}
