// Event: the facts of a run, each a sentence in the past tense; one command commits one line of them.
//
// A run takes one target up the ladder low < medium < high < xhigh, from a floor to a ceiling. Its log is its only
// state: Manifest folds the events, Decide and Mark choose what follows as plain data, `step/` does it and commits the
// result on condition of the head that it has folded. So the same lines give the same next action on every machine, and
// a killed call loses nothing: the next one reads the log and continues.
//
// A batch is one set of reviews at one level. `BatchStarted` records its size, arguments and the identity of the code;
// `ReviewStarted` is committed before the process exists; each attempt then ends as finished, failed or stopped. Once
// every slot has a verdict, `BatchCompleted` records the identity again. A slot without a verdict is never clean.
//
// What follows a complete batch:
// - issues: hand-off AddressBatch. `--mark-address-passed` drops one rung, never below the floor.
// - clean below the ceiling: hand-off Retrospective. `--mark-retro-clean` moves up one rung; changes restart at the
//   floor.
// - clean at the ceiling: the fixed point. Code that has changed since is reviewed again first.
//
// That ladder trusts the marks in between. A strict run does not: it keeps the last complete batch of each level
// (Cover) and asks which of them are still valid. A batch covers its level if no finding in it blocks, no mark has
// voided it, and the code at its beginning, at its end and now is the same, with nothing changed and changed back in
// between. Unknown is never the same. The loop runs the lowest level that is not covered, and ends only when none is
// left.
//
// That this is a fixed point needs no trust in marks. A mark can void cover but never make it, and any change of what
// reviewers see uncovers all of them. So at the end every level from floor to ceiling has a batch without blocking
// issues about exactly the present code: one more round would ask the same question about the same input.
//
// A released event is never renamed or removed. Fields are only added, and are optional, so old logs are always
// readable. Other kinds of runs have logs of their own, not more events here: see log/StreamKind.ts.
//
// Read on: Level, Ladder, Batch, Manifest, Decide, Mark; then Identity, Cover, StrictDecide, StrictMark; then Outcome.
import { Schema } from "effect"
import { dismissedFields, FingerprintText, Priority, WaivedFinding } from "./Dismissal.ts"
import { FailureKind } from "./FailureKind.ts"
import { HowRead, VerdictSource } from "./ReviewTokens.ts"
import { Identity } from "./Identity.ts"
import { Level } from "./Level.ts"
import { BranchName, Target } from "./Target.ts"
import { Usage } from "./Usage.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
/** A number counted from 1: batches, slots, attempts, sizes. */
export const Ordinal = Schema.Int.check(Schema.isGreaterThan(0))

/** Why a new run was opened instead of resuming one. */
export const ResumeReason = Schema.Literals([
  "Forced",
  "NoLatestPointer",
  "LatestDangling",
  "ManifestUnreadable",
  "LevelMismatch",
  "FixedPointStale",
  "StrictnessMismatch"
])
export type ResumeReason = typeof ResumeReason.Type

/** The digest of a stored file: of all its bytes, or of its size and both ends if it is too large to be read whole. */
export const Digest = Schema.Struct({
  algorithm: Schema.Literals(["sha256", "sha256-ends"]),
  hex: Schema.String,
  bytes: Count
})
export type Digest = typeof Digest.Type

/** Whether two digests belong to the same bytes. */
export const sameDigest = (a: Digest, b: Digest): boolean =>
  a.algorithm === b.algorithm && a.hex === b.hex && a.bytes === b.bytes

/** A text from outside; a text that is too large for a line lies in a file of the run, named by its digest. */
export const LongText = Schema.Struct({ text: Schema.String, rest: Schema.optionalKey(Digest) })
export type LongText = typeof LongText.Type

/** The line of another log that a decision was made from. */
export const SeenHead = Schema.Struct({ seq: Ordinal, hash: Schema.String })

/** The outcome of a level as recorded by the three recording marks. */
export const LevelOutcome = Schema.TaggedUnion({
  Clean: {},
  RetrospectiveChanges: { reason: LongText },
  Addressed: { count: Count }
})
export type LevelOutcome = typeof LevelOutcome.Type

/** Why the next unused batch was opened. */
export const BatchCause = Schema.Literals(["Advanced", "Dropped", "Restarted", "TargetChanged", "Stale"])
export type BatchCause = typeof BatchCause.Type

/** Why reviewers were stopped before they had finished. */
export const StopCause = Schema.Literals(["Stop", "Interrupt", "Fresh", "Mark", "TargetChanged"])
export type StopCause = typeof StopCause.Type

const batch = { level: Level, batch: Ordinal }
const attempt = { ...batch, slot: Ordinal, attempt: Ordinal }

/** The union of facts. Documented one by one in docs/events.md. */
export const Event = Schema.TaggedUnion({
  RunCreated: {
    runId: Schema.String,
    repoId: Schema.String,
    worktree: Schema.String,
    target: Target,
    startLevel: Level,
    batchSize: Ordinal,
    createdAt: Schema.String,
    because: ResumeReason,
    nonce: Schema.String,
    strict: Schema.optionalKey(Schema.Boolean),
    /**
     * Whether reviewers read frozen copies, so that a verdict cannot be about anything else. Earlier strict runs lack
     * it.
     */
    frozen: Schema.optionalKey(Schema.Literal(true)),
    /** The commit whose dismissals count. If it is given, reviewers get no instructions from the change either. */
    trustFrom: Schema.optionalKey(Schema.String),
    /** The id of that commit when the run began. */
    trustCommit: Schema.optionalKey(Schema.String),
    by: Schema.optionalKey(Schema.Literals(["Mark"]))
  },
  BatchStarted: {
    ...batch,
    size: Ordinal,
    base: Schema.NullOr(BranchName),
    argv: Schema.Array(Schema.String),
    identity: Identity,
    isolated: Schema.optionalKey(Schema.String),
    /** The identity of the private repository when it was made. */
    copy: Schema.optionalKey(Identity),
    /** Whether the reasons why it does not block are stored beside the log before the log records them. */
    waiversKept: Schema.optionalKey(Schema.Boolean),
    /** Which variables the commands of its reviewers see. Absent if `argv` need not say so. */
    variables: Schema.optionalKey(Schema.Literal("core"))
  },
  /** `program` is the sha256 of the reviewer's program; absent in older logs, and if it cannot be read. */
  ReviewStarted: { ...attempt, id: Schema.String, program: Schema.optionalKey(Schema.String) },
  ReviewFinished: {
    ...attempt,
    verdict: Schema.Literals(["Clean", "HasIssues"]),
    reason: Schema.String,
    source: VerdictSource,
    /** The version of the rules that judged it; absent in logs of programs that did not record it. */
    rules: Schema.optionalKey(Ordinal),
    findings: Count,
    /** How the reviewer read the change: from its prompt (`given`) or by a command (`tools`). Absent in older logs. */
    read: Schema.optionalKey(HowRead),
    log: Digest,
    out: Digest,
    review: Schema.optionalKey(Digest),
    usage: Schema.optionalKey(Usage)
  },
  ReviewFailed: {
    ...attempt,
    kind: FailureKind,
    transient: Schema.Boolean,
    message: Schema.String,
    exit: Schema.NullOr(Count),
    usage: Schema.optionalKey(Usage)
  },
  ReviewStopped: { ...attempt, cause: StopCause },
  BatchCompleted: { ...batch, identity: Identity },
  BatchFailed: { ...batch, slots: Schema.Array(Ordinal) },
  /** Here and below `driver` names the driver that set the mark; absent if a person or another program did. */
  LevelOutcomeRecorded: {
    ...batch,
    outcome: LevelOutcome,
    ceiling: Level,
    driver: Schema.optionalKey(Schema.String)
  },
  BatchOpened: { ...batch, from: Level, cause: BatchCause },
  FixedPointReached: { ...batch, ceiling: Level, by: Schema.Literals(["Reviews", "Mark"]) },
  AddressFailed: { ...batch, details: LongText, driver: Schema.optionalKey(Schema.String) },
  FindingDismissed: { ...dismissedFields, reason: LongText },
  /** A dismissal for the run was taken back. */
  DismissalWithdrawn: { fingerprint: FingerprintText },
  BatchWaived: {
    ...batch,
    block: Priority,
    findings: Schema.Array(WaivedFinding),
    rest: Schema.optionalKey(Digest)
  },
  StepAborted: { signal: Schema.String }
})
export type Event = typeof Event.Type
export type EventOf<Tag extends Event["_tag"]> = Extract<Event, { readonly _tag: Tag }>
