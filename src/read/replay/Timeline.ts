// Timeline: one event of a replay, and its changes.
import { Schema } from "effect"
import { Spending, spendingText } from "../../drive/Spending.ts"
import { eventName } from "../../log/Line.ts"
import type { RunRef } from "../../log/Refs.ts"
import { isLogEvent, type LoggedEvent, type TaggedEvent } from "../../log/StreamKind.ts"
import type { WalkedEvent } from "../../log/Walk.ts"
import type { Batch, Slot, StartedBatch } from "../../run/Batch.ts"
import { Count, documentText, LoggedEventFields, LogHead, RunName, runName, version } from "../../run/Document.ts"
import type { Event } from "../../run/Event.ts"
import { type Identity, identityText } from "../../run/Identity.ts"
import { type Level, levels } from "../../run/Level.ts"
import { type LevelRecord, type Manifest, recordOf, type RunState } from "../../run/Manifest.ts"
import type { WalkedRun } from "../../run/ReviewRun.ts"
import { jsonText } from "../../text/Json.ts"
import { batchName, counted } from "../../text/Phrases.ts"
import { oneLine, shortened } from "../../text/Untrusted.ts"
import type { Change, LogReader } from "../LogReader.ts"
import { outcomeText } from "./words.ts"

// The changes of an event in the folded manifest, field by field.
// Fields are compared by identity, so that an unchanged field costs nothing.

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

/** The changes of an event; the creation of a run changes everything at once. */
export const changesOf = (
  { after, before, event, line }: WalkedEvent<Event, WalkedRun>
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

// One event of a replay, as text for people and as a one-line JSON document for programs.
// An event that this version does not know is shown as the log has it.

const sameLine = " ".repeat(34)
const below = " ".repeat(8)
// Names are padded by slicing one text: `padEnd` would take a hundredth of the replay of a million events.
const behindName = " ".repeat(22)
const longest = 2000

/** An event that this version does not know, as the log has it. */
export const rawText = (json: string): string => oneLine(shortened(json, longest))

const described = <E extends TaggedEvent, S, V>({ describe }: LogReader<E, S, V>, event: LoggedEvent<E>): string =>
  isLogEvent(event)
    ? `${counted(event.bytes, "torn byte")} at byte ${event.offset} cut, kept in ${oneLine(event.kept)}`
    : describe(event)

const unknownText = <E extends TaggedEvent, S, V>(
  { stateName }: LogReader<E, S, V>,
  { after, raw }: WalkedEvent<E, S>
): string => {
  const known = after.unknown === null ? "" : `; the ${stateName} after it is not known to this version`
  return `unknown to this version${known}: ${rawText(jsonText(raw))}`
}

const changeText = <V>(valueText: (value: V) => string, { after, before, field }: Change<V>): string =>
  `${field} ${valueText(before)} -> ${valueText(after)}`

/** An event in one line, after the number and the time of its line, and below it its changes. */
export const eventText = <E extends TaggedEvent, S, V>(
  reader: LogReader<E, S, V>,
  happening: WalkedEvent<E, S>
): string => {
  const { event, index, line: { at, seq }, raw } = happening
  const place = index === 0 ? `${`${reader.mark ?? ""}${seq}`.padStart(6)}  ${oneLine(at)}  ` : sameLine
  const what = event === null
    ? `${oneLine(eventName(raw))}  ${unknownText(reader, happening)}`
    : `${event._tag}${behindName.slice(Math.min(20, event._tag.length))}${described(reader, event)}`
  let text = `${place}${what}\n`
  let before = below
  for (const change of reader.changes(happening)) {
    text += before + changeText(reader.valueText, change)
    before = "; "
  }
  return before === below ? text : `${text}\n`
}

/** A line of `replay --json` that is an event. */
const EventDocument = Schema.Struct({
  ...LoggedEventFields,
  known: Schema.Boolean,
  changes: Schema.Array(Schema.Struct({ field: Schema.String, before: Schema.Unknown, after: Schema.Unknown }))
}).annotate({ title: "an event of the log (docs/events.md)" })

/** The line of `replay --json` at the end of a log. At the end of the run's own log it has the known tokens. */
const EndDocument = Schema.Struct({
  schema: version,
  run: RunName,
  stream: Schema.String,
  head: LogHead,
  torn: Count,
  usage: Schema.NullOr(Spending)
}).annotate({ title: "the end of a log" })

/** The document of `replay --at --json`. The manifest has the names of the fields of which `changes` speaks. */
const ManifestDocument = Schema.Struct({
  schema: version,
  run: RunName,
  seq: Count,
  manifest: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ title: "replay --at --json: the manifest" })

/** What `replay --json` prints. */
export const ReplayDocument = Schema.Union([EventDocument, EndDocument, ManifestDocument])

// Made once, and from the fields themselves: a replay may have millions of lines.
const encodeEvent = Schema.encodeSync(EventDocument)

/** An event as a JSON document of one line. */
export const eventJson = <E extends TaggedEvent, S, V>(
  reader: LogReader<E, S, V>,
  happening: WalkedEvent<E, S>,
  run: RunRef
): string => {
  const { event, index, line: { at, seq }, raw } = happening
  const document = encodeEvent({
    schema: 1,
    run: runName(run),
    stream: reader.kind.kind,
    seq,
    index,
    at,
    event: raw,
    known: event !== null,
    changes: reader.changes(happening)
  })
  return `${jsonText(document)}\n`
}

/** The first line of a replay. */
export const runText = (runId: string, directory: string): string => `   run  ${oneLine(`${runId} in ${directory}`)}\n`

/** The end of a log. */
export type End = Pick<typeof EndDocument.Type, "head" | "torn" | "usage">

type Shown = Pick<LogReader<TaggedEvent, unknown, unknown>, "mark"> & { readonly kind: { readonly kind: string } }

/** The last lines of a log: the head for `--expect-head`, a torn tail that no line records yet, the tokens. */
export const endText = ({ head, torn, usage }: End, { mark = "" }: Pick<Shown, "mark"> = {}): string =>
  `${`${mark}head`.padStart(6)}  ${head.seq}:${head.hash}\n` +
  (torn === 0 ? "" : `  torn  ${counted(torn, "byte")} after it were never committed; the next writer removes them\n`) +
  (usage === null ? "" : `tokens  ${spendingText(usage)}\n`)

/** The same as a JSON document of one line. */
export const endJson = (end: End, { kind }: Pick<Shown, "kind">, run: RunRef): string =>
  documentText(EndDocument, { run: runName(run), stream: kind.kind, ...end })

/** The manifest after a line as a JSON document of one line. */
export const manifestJson = (manifest: Manifest, seq: number, run: RunRef): string =>
  documentText(ManifestDocument, { run: runName(run), seq, manifest: { ...manifest } })
