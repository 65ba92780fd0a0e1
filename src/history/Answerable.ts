// Answerable: what an audit remembers of the complete batches of a strict run, to judge answers that come late.
// It is a few words a batch, so that the audit of a long log needs little memory.
import { reviewsWithIssues } from "../core/run/Batch.ts"
import type { BatchCause, Event, LevelOutcome } from "../core/run/Event.ts"
import type { Level } from "../core/run/Level.ts"
import type { RunState } from "../core/run/Manifest.ts"
import { batchName } from "../core/text/Phrases.ts"

/** A complete batch: what it found, why the run went on from it, and the last outcome of it that was recorded. */
export interface DoneBatch {
  readonly withIssues: number
  /** Whether a line says that none of its findings blocks. */
  readonly waived: boolean
  readonly left: BatchCause | null
  readonly answered: LevelOutcome["_tag"] | null
}

/** The complete batches of a strict run by their names. */
export type DoneBatches = ReadonlyMap<string, DoneBatch>

/** A complete batch by its place, or null where no complete batch is known there. */
export const doneAt = (done: DoneBatches, at: { readonly level: Level; readonly batch: number }): DoneBatch | null =>
  done.get(batchName(at)) ?? null

/** What to remember of an event, or null for nothing. `state` is the run's state before the event. */
export const remembered = (
  done: DoneBatches,
  state: RunState,
  event: Event
): { readonly name: string; readonly batch: DoneBatch } | null => {
  if (state.strict === undefined) return null
  const changed = (at: { readonly level: Level; readonly batch: number }, change: Partial<DoneBatch>) => {
    const before = doneAt(done, at)
    return before === null ? null : { name: batchName(at), batch: { ...before, ...change } }
  }
  switch (event._tag) {
    case "BatchCompleted": {
      const batch = { withIssues: reviewsWithIssues(state.batch), waived: false, left: null, answered: null }
      return { name: batchName(event), batch }
    }
    case "BatchOpened":
      return changed({ level: state.current_level, batch: state.batch_number }, { left: event.cause })
    case "LevelOutcomeRecorded":
      return changed(event, { answered: event.outcome._tag })
    case "BatchWaived":
      return changed(event, { waived: true })
    default:
      return null
  }
}
