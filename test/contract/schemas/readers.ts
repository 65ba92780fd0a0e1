// readers: the JSON documents about runs that exist: findings, audits, events, snapshots.
import { Schema } from "effect"
import { EndDocument, EventDocument } from "../../../src/read/replay/Timeline.ts"
import { RunName } from "../../../src/run/Document.ts"
import { Level } from "../../../src/run/Level.ts"
import { Count, findings, list, Review, Struct, Text, version, words } from "./parts.ts"

const { Union, Unknown } = Schema

export const Findings = Struct({
  schema: version,
  run: RunName,
  level: Level,
  batch: Count,
  directory: Text,
  verdict: words("None", "Findings", "Unknown"),
  reviews: list(Review),
  ...findings
})

/** A line of `--events`: the event as docs/events.md has it, and the log that it stands in. */
export const Followed = Struct({
  schema: version,
  stream: words("review", "converge", "plan"),
  seq: Count,
  index: Count,
  at: Text,
  event: Unknown
})

const Shown = EventDocument.annotate({ title: "an event of the log (docs/events.md)" })
const Ended = EndDocument.annotate({ title: "the end of a log" })
const Manifest = Schema.StructWithRest(Struct({ run_id: Text, target_key: Text, current_level: Level }), [
  Schema.Record(Text, Unknown)
]).annotate({ title: "replay --at --json: the manifest" })
export const Replay = Union([Shown, Ended, Manifest])
