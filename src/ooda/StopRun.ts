// StopRun: takes in what has ended of a run by itself, and stops the rest of its current batch.
// The one rule: a finished review is never thrown away by a stop, so what has ended is recorded before what is stopped.
import { Effect } from "effect"
import { observe, orient } from "./Observe.ts"
import { refresh, type Run } from "../runs/Run.ts"
import { commitEnd, openAttempts, stopEvents, stopRemains } from "./Stop.ts"

// No limit of a step applies to reviewers that are to end anyway; what may be tried again has not failed for good.
const unlimited = {
  retries: Number.POSITIVE_INFINITY,
  idleTimeout: Number.POSITIVE_INFINITY,
  networkTimeout: Number.POSITIVE_INFINITY,
  maxTranscript: Number.POSITIVE_INFINITY
}

/** The run with all that has ended by itself recorded: a finished review is never thrown away by a stop. */
export const takeIn = Effect.fn("StopRun.takeIn")(function*(run: Run) {
  let state = run
  while (true) {
    const next = yield* orient(state, yield* observe(state), unlimited)
    if (next === state) return state
    state = next
  }
})

const stopOnce = Effect.fnUntraced(function*(run: Run) {
  const seen = yield* takeIn(yield* refresh(run))
  const events = stopEvents(seen, "Stop")
  if (events.length === 0) {
    yield* stopRemains(seen)
    return { run: seen, stopped: null }
  }
  const after = yield* commitEnd(seen, events)
  return { run: after, stopped: openAttempts(seen).length }
})

/**
 * Stops the current batch of a run for good reason of its own: `stop`. What has ended meanwhile is recorded, what
 * is open is recorded as stopped and then ended. Returns the run and how many reviewers it ended, null when nothing
 * was under way. A lost race is run again from what won.
 */
export const stopRun = Effect.fn("StopRun.stopRun")((run: Run) =>
  Effect.retry(stopOnce(run), { while: (error) => error._tag === "LogConflict" })
)
