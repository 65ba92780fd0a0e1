// Changes: what an event changed in the folded manifest, field by field.
// The one rule: compared by identity, field against field; what did not change is not looked into.
import type { Slot, StartedBatch } from "../core/Batch.ts"
import { levels } from "../core/Level.ts"
import { recordOf, type RunState } from "../core/Manifest.ts"
import { outcomeText } from "./Describe.ts"
import type { Happening } from "./Walk.ts"
import { identityText } from "./Words.ts"

/** A field of the manifest by its path, with its value before and after; null where there was or is none. */
export interface Change {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
  /** The same for people. */
  readonly text: string
}

const change = (field: string, before: unknown, after: unknown, text: string): Change => ({
  field,
  before,
  after,
  text
})

const plain = (field: string, before: string | number, after: string | number, into: Array<Change>): void => {
  if (before !== after) into.push(change(field, before, after, `${field} ${before} -> ${after}`))
}

const slotText = (slot: Slot): string => slot._tag === "Finished" ? slot.verdict : slot._tag

const slots = (before: StartedBatch, after: StartedBatch, into: Array<Change>): void => {
  if (before.slots === after.slots) return
  after.slots.forEach((slot, i) => {
    const old = before.slots[i]
    if (old === slot || old === undefined) return
    into.push(change(`batch.slots.${slot.slot}`, old, slot, `slot ${slot.slot} ${slotText(old)} -> ${slotText(slot)}`))
  })
}

const within = (before: StartedBatch, after: StartedBatch, into: Array<Change>): void => {
  slots(before, after, into)
  if (before.completed !== after.completed && after.completed !== null) {
    const text = `batch.completed ${identityText(after.completed)}`
    into.push(change("batch.completed", before.completed, after.completed, text))
  }
  plain("batch.failedAt", before.failedAt, after.failedAt, into)
  if (before.stopped !== after.stopped) {
    const text = `batch.stopped ${before.stopped} -> ${after.stopped}`
    into.push(change("batch.stopped", before.stopped, after.stopped, text))
  }
}

const ofBatch = (before: RunState, after: RunState, into: Array<Change>): void => {
  if (before.batch === after.batch) return
  if (before.batch._tag === "Started" && after.batch._tag === "Started" && before.batches === after.batches) {
    return within(before.batch, after.batch, into)
  }
  into.push(change("batch", before.batch, after.batch, `batch ${before.batch._tag} -> ${after.batch._tag}`))
}

const ofRun = (before: RunState, after: RunState, into: Array<Change>): void => {
  plain("current_level", before.current_level, after.current_level, into)
  plain("batch_number", before.batch_number, after.batch_number, into)
  plain("batch_size", before.batch_size, after.batch_size, into)
  plain("batches", before.batches, after.batches, into)
  if (before.opened !== after.opened) {
    for (const level of levels) plain(`opened.${level}`, before.opened[level], after.opened[level], into)
  }
  ofBatch(before, after, into)
  plain("stopped_at", before.stopped_at, after.stopped_at, into)
  if (before.fixed_point !== after.fixed_point) {
    const text = (at: RunState["fixed_point"]) => at === null ? "none" : `${at.level} batch ${at.batch}`
    const words = `fixed_point ${text(before.fixed_point)} -> ${text(after.fixed_point)}`
    into.push(change("fixed_point", before.fixed_point, after.fixed_point, words))
  }
}

/** What an event changed; the creation of a run changes everything at once. */
export const changesOf = ({ after, before, event, line }: Happening): ReadonlyArray<Change> => {
  if (after.state === null) return []
  if (before.state === null) {
    const { batch_number, current_level } = after.state
    return [change("manifest", null, after.state, `created at ${current_level} batch ${batch_number}`)]
  }
  const changes: Array<Change> = []
  if (before.state !== after.state) ofRun(before.state, after.state, changes)
  const record = event === null || after.records === before.records ? null : recordOf(event, line.at)
  if (record !== null) {
    const field = `level_history.${before.records}`
    changes.push(change(field, null, record, `${field} ${outcomeText(record.outcome)}`))
  }
  return changes
}
