// Changes: what an event changed in the folded manifest, field by field.
// Fields are compared by identity, so that a field that did not change costs nothing.
import { isLogEvent } from "../core/log/LogEvent.ts"
import type { Happening } from "../core/log/Walk.ts"
import type { Batch, Slot, StartedBatch } from "../core/run/Batch.ts"
import type { Event } from "../core/run/Event.ts"
import { type Identity, identityText } from "../core/run/Identity.ts"
import { type Level, levels } from "../core/run/Level.ts"
import { type LevelRecord, recordOf, type RunState } from "../core/run/Manifest.ts"
import type { WalkedRun } from "../core/run/ReviewRun.ts"
import { batchName } from "../core/text/Phrases.ts"
import { outcomeText } from "./Describe.ts"
import type { Change } from "./LogReader.ts"

/** A value of a field of the manifest. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Slot
  | Batch
  | Identity
  | LevelRecord
  | RunState
  | RunState["fixed_point"]

type Changes = Array<Change<Value>>

const compared = (field: string, before: Value, after: Value, into: Changes): void => {
  if (before !== after) into.push({ field, before, after })
}

const openedOf = {
  low: "opened.low",
  medium: "opened.medium",
  high: "opened.high",
  xhigh: "opened.xhigh"
} as const satisfies Record<Level, string>

const within = (before: StartedBatch, after: StartedBatch, into: Changes): void => {
  if (before.slots !== after.slots) {
    for (let i = 0; i < after.slots.length; i++) {
      const [old, slot] = [before.slots[i] ?? null, after.slots[i] ?? null]
      if (old !== slot) into.push({ field: `batch.slots.${i + 1}`, before: old, after: slot })
    }
  }
  compared("batch.completed", before.completed, after.completed, into)
  compared("batch.failedAt", before.failedAt, after.failedAt, into)
  compared("batch.stopped", before.stopped, after.stopped, into)
}

const ofRun = (before: RunState, after: RunState, into: Changes): void => {
  compared("current_level", before.current_level, after.current_level, into)
  compared("batch_number", before.batch_number, after.batch_number, into)
  compared("batch_size", before.batch_size, after.batch_size, into)
  compared("batches", before.batches, after.batches, into)
  if (before.opened !== after.opened) {
    for (const level of levels) compared(openedOf[level], before.opened[level], after.opened[level], into)
  }
  if (before.batch._tag === "Started" && after.batch._tag === "Started" && before.batches === after.batches) {
    within(before.batch, after.batch, into)
  } else compared("batch", before.batch, after.batch, into)
  compared("stopped_at", before.stopped_at, after.stopped_at, into)
  compared("fixed_point", before.fixed_point, after.fixed_point, into)
}

/** What an event changed; the creation of a run changes everything at once. */
export const changesOf = (
  { after, before, event, line }: Happening<Event, WalkedRun>
): ReadonlyArray<Change<Value>> => {
  const changes: Changes = []
  if (after.state === null) return changes
  if (before.state === null) compared("manifest", null, after.state.run, changes)
  else if (before.state.run !== after.state.run) ofRun(before.state.run, after.state.run, changes)
  if (event === null || isLogEvent(event)) return changes
  const record = recordOf(event, line.at)
  if (record !== null) compared(`level_history.${after.state.records - 1}`, null, record, changes)
  return changes
}

/** A value of the manifest for people. */
export const valueText = (value: Value): string => {
  if (value === null) return "none"
  if (typeof value !== "object") return String(value)
  if ("_tag" in value) {
    if (value._tag === "Known" || value._tag === "Unknown") return identityText(value)
    return value._tag === "Finished" ? value.verdict : value._tag
  }
  if ("run_id" in value) return batchName({ level: value.current_level, batch: value.batch_number })
  if ("outcome" in value) return outcomeText(value.outcome)
  return batchName(value)
}
