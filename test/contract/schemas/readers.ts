// readers: the JSON documents about runs that exist: findings, audits, events, snapshots.
import { Schema } from "effect"
import { Priority, WaivedFinding } from "../../../src/run/Dismissal.ts"
import { ResumeReason } from "../../../src/run/Event.ts"
import { Identity } from "../../../src/run/Identity.ts"
import { Level } from "../../../src/run/Level.ts"
import { VerdictSource } from "../../../src/run/ReviewTokens.ts"
import {
  Count,
  findings,
  Head,
  list,
  NullOr,
  optionalKey,
  Review,
  Spending,
  Struct,
  Text,
  version,
  words
} from "./parts.ts"

const { Boolean, Literals, Union, Unknown } = Schema

const place = { run: Text, repo: Text, target: Text, directory: Text }

export const Findings = Struct({
  schema: version,
  run: Text,
  target: Text,
  level: Level,
  batch: Count,
  directory: Text,
  verdict: words("None", "Findings", "Unknown"),
  reviews: list(Review),
  ...findings
})

const Listed = Struct({
  ...place,
  worktree: NullOr(Text),
  floor: NullOr(Level),
  level: NullOr(Level),
  batch: NullOr(Count),
  batches: Count,
  reviews: Count,
  failures: Count,
  created: NullOr(Text),
  updated: NullOr(Text),
  milliseconds: NullOr(Count),
  head: Head,
  opened: NullOr(Struct({ because: ResumeReason, byMark: Boolean })),
  usage: optionalKey(Spending),
  outcome: words(
    ...["Running", "NextStep", "Stopped", "Failed", "AddressBatch", "Retrospective", "TestsFailedTriage"],
    ...["FixedPoint", "PlanUnderWay", "PlanLeft", "PlanDone", "Damaged", "Rewound", "TooNew", "Unreadable", "Empty"]
  ),
  outcomeText: Text
})
const Pruned = Struct({
  ...place,
  age: Count,
  removed: Boolean,
  freed: optionalKey(Count),
  gone: optionalKey(Boolean),
  kept: NullOr(Text)
})
export const Runs = Union([
  Struct({ schema: version, runs: list(Listed) }).annotate({ title: "runs --json" }),
  Struct({ schema: version, dryRun: Boolean, runs: list(Pruned) }).annotate({ title: "runs --prune --json" })
])

const Opinion = {
  reason: Text,
  source: NullOr(VerdictSource),
  read: optionalKey(words("given", "tools", "not-shown")),
  findings: Count,
  verdict: words("Clean", "HasIssues", "NoReview")
}
const ProvenLevel = Struct({
  level: Level,
  sameAsLastCleanBatch: NullOr(words("same", "same tree", "other", "changed", "unknown")),
  batch: NullOr(Count),
  line: NullOr(Count),
  reviewers: list(
    Struct({ slot: Count, attempt: Count, reason: Text, read: optionalKey(words("given", "tools", "not-shown")) })
  ),
  argv: list(Text),
  started: NullOr(Identity),
  completed: NullOr(Identity),
  retrospective: Boolean,
  waived: list(WaivedFinding),
  isolated: NullOr(Boolean)
})
const Proof = Struct({
  level: Level,
  batch: Count,
  ceiling: Level,
  by: words("Reviews", "Mark"),
  complete: Boolean,
  worth: words("borne out", "refuted", "unchecked"),
  levels: list(ProvenLevel)
})
const Audited = Struct({
  ...place,
  findings: list(Struct({ kind: Text, line: Count, text: Text })),
  notes: list(Struct({ line: Count, text: Text })),
  reviews: list(
    Struct({
      line: Count,
      level: Level,
      batch: Count,
      slot: Count,
      attempt: Count,
      version: NullOr(Text),
      recorded: Struct(Opinion),
      today: NullOr(Struct(Opinion))
    })
  ),
  sound: NullOr(Boolean),
  problem: NullOr(Text),
  checked: optionalKey(Struct({ lines: Count, events: Count, reviews: Count })),
  head: optionalKey(NullOr(Head)),
  proof: optionalKey(NullOr(Proof))
})
export const Audit = Struct({ schema: version, runs: list(Audited), sound: Boolean })

/** A line of `--events`: the event as docs/events.md has it, and the log that it stands in. */
export const Followed = Struct({
  stream: words("review", "converge", "plan"),
  seq: Count,
  index: Count,
  at: Text,
  event: Unknown
})

const Shown = Struct({
  stream: optionalKey(Text),
  seq: Count,
  index: Count,
  at: Text,
  known: Boolean,
  event: Unknown,
  changes: list(Struct({ field: Text, before: Unknown, after: Unknown }))
}).annotate({ title: "an event of the log (docs/events.md)" })
const Ended = Struct({ stream: optionalKey(Text), head: Head, torn: Count, usage: optionalKey(Spending) })
  .annotate({ title: "the end of a log" })
const Manifest = Schema.StructWithRest(Struct({ run_id: Text, target_key: Text, current_level: Level }), [
  Schema.Record(Text, Unknown)
]).annotate({ title: "replay --at --json: the manifest" })
export const Replay = Union([Shown, Ended, Manifest])

const Taken = Union([
  Struct({ ...snapshot(), cause: words("BeforeAgent", "AfterAgent"), agent: Count }),
  Struct({ ...snapshot(), cause: words("BeforeUndo"), to: Count })
])
function snapshot() {
  return { number: Count, at: Text, commit: Text, leftOut: list(Text) }
}
export const Undo = Union([
  Struct({ schema: version, run: Text, snapshots: list(Taken) }).annotate({ title: "undo --list --json" }),
  Struct({
    schema: version,
    run: Text,
    to: Taken,
    saved: NullOr(Taken),
    written: Count,
    removed: Count,
    left: list(Text)
  }).annotate({ title: "undo --json" })
])

export const Dismiss = Struct({
  schema: version,
  run: Text,
  strict: Boolean,
  fingerprint: Text,
  reason: Text,
  until: NullOr(Text),
  scope: Literals(["run", "repo"]),
  path: NullOr(Text),
  priority: NullOr(Priority)
})
