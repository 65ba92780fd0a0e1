// ReviewRun: the log of a review run as one kind of log.
import { type Commit, isLogEvent, type StreamKind } from "../log/StreamKind.ts"
import type { StartedBatch } from "./Batch.ts"
import { type BatchCause, Event } from "./Event.ts"
import type { Level } from "./Level.ts"
import { evolveState, initial, type RunState } from "./Manifest.ts"

/** A partially walked run: its state, and the number of records in `level_history` so far. */
export interface WalkedRun {
  readonly run: RunState
  readonly records: number
}

/** The kind of a review run's log. Its fold keeps no history, so that a log of any length folds in constant memory. */
export const reviewRun: StreamKind<Event, WalkedRun> = {
  kind: "review",
  event: Event,
  genesis: { event: "RunCreated", binds: ["runId", "nonce"] },
  fold: {
    initial: (event) => event._tag === "RunCreated" ? { run: initial(event), records: 0 } : null,
    evolve: ({ records, run }, event, { at, seq }) => ({
      run: evolveState(run, event, seq, at),
      records: event._tag === "LevelOutcomeRecorded" ? records + 1 : records
    })
  }
}

// Every batch that a run started, in its final state

/** A batch that was started, as last seen. */
export interface PastBatch {
  readonly level: Level
  readonly number: number
  readonly batch: StartedBatch
  /** Why the run opened another batch after it; null for the current batch. */
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
