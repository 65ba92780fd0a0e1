// PastBatches: every batch that a run started, each as it stood when the run left it.
// The one rule: derived from the lines alone, by the same fold that yields the manifest.
import type { StartedBatch } from "./Batch.ts"
import { isLogEvent } from "../log/LogEvent.ts"
import type { Commit } from "../log/StreamKind.ts"
import type { BatchCause, Event } from "./Event.ts"
import type { Level } from "./Level.ts"
import { evolveState, initial, type RunState } from "./Manifest.ts"

/** A batch that was started, as last seen. */
export interface PastBatch {
  readonly level: Level
  readonly number: number
  readonly batch: StartedBatch
  /** Why the run opened another batch after it; null for the current one. */
  readonly left: BatchCause | null
}

const started = (
  { batch, batch_number, current_level }: RunState,
  left: BatchCause | null
): ReadonlyArray<PastBatch> =>
  batch._tag === "Started" ? [{ level: current_level, number: batch_number, batch, left }] : []

/** All started batches of a log in order, the current one last. */
export const batchesOf = (commits: ReadonlyArray<Commit<Event>>): ReadonlyArray<PastBatch> => {
  const past: Array<PastBatch> = []
  let state: RunState | null = null
  for (const { at, events, seq } of commits) {
    for (const event of events) {
      if (isLogEvent(event)) continue
      if (event._tag === "RunCreated") state ??= initial(event)
      if (state === null) continue
      if (event._tag === "BatchOpened") past.push(...started(state, event.cause))
      state = evolveState(state, event, seq, at)
    }
  }
  return state === null ? past : [...past, ...started(state, null)]
}
