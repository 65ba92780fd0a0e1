// ReviewRun: the log of a review run, as one kind of log among others.
import type { StreamKind } from "../log/StreamKind.ts"
import { Event } from "./Event.ts"
import { evolveState, initial, type RunState } from "./Manifest.ts"

/** How far a run has been walked: its state, and how many records `level_history` has by now. */
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
