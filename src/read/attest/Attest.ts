// Attest: writes the in-toto statement about a fixed point.
import { Effect, Schema } from "effect"
import { exits } from "../../platform/Failure.ts"
import { Git } from "../../code/Git.ts"
import { shownName } from "../../code/Names.ts"
import { movedBases } from "../../agent/State.ts"
import { convergeRun, type ConvergeState } from "../../drive/converge/State.ts"
import { EventLog } from "../../log/EventLog.ts"
import type { RunRef } from "../../log/Refs.ts"
import { fold } from "../../log/Walk.ts"
import { ReviewFilesFailed } from "../../review/ReviewFiles.ts"
import { slotsOf } from "../../run/Batch.ts"
import { WaivedFinding } from "../../run/Dismissal.ts"
import { Count, LogHead } from "../../run/Document.ts"
import type { EventOf } from "../../run/Event.ts"
import { type Identity, sameContent, sameInput } from "../../run/Identity.ts"
import { Level } from "../../run/Level.ts"
import { HowRead, VerdictSource } from "../../run/ReviewTokens.ts"
import { CallPlace, type Place, readerCall, unnamed } from "../../run/Naming.ts"
import { Mode, mode, type Target, targetKey } from "../../run/Target.ts"
import { canonicalJson, jsonText } from "../../text/Json.ts"
import { counted } from "../../text/Phrases.ts"
import { oneLine, someNames } from "../../text/Untrusted.ts"
import { redact } from "../../text/redaction/Redaction.ts"
import { audit, type Audited } from "../audit/Audit.ts"
import type { Programs } from "../audit/Evidence.ts"
import { type LevelProof, Sameness } from "../audit/Proof.ts"

// An attestation of a run at its fixed point: an in-toto Statement, version 1, with our predicate.
// It holds only what the log and the audit confirm, and nothing of the machine: no path, no host, no time of writing.

/** The type of every Statement of this version of in-toto. */
export const statementType = "https://in-toto.io/Statement/v1"

/** The type of our predicate. If a field changes its meaning, the number at its end grows. */
export const predicateType = "urn:ooda-codex-review:fixed-point:v1"

const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const GitId = Schema.String.check(Schema.isPattern(/^([0-9a-f]{40}|[0-9a-f]{64})$/))

/** An artifact by its digest: the reviewed tree, or the commit of that tree. */
const Subject = Schema.Union([
  Schema.Struct({ name: Schema.Literal("tree"), digest: Schema.Struct({ gitTree: GitId }) }),
  Schema.Struct({ name: Schema.Literal("commit"), digest: Schema.Struct({ gitCommit: GitId }) })
])
type Subject = typeof Subject.Type

const Reviewer = Schema.Struct({
  slot: Count,
  attempt: Count,
  verdict: Schema.Literals(["Clean", "HasIssues"]),
  reason: Schema.String,
  source: VerdictSource,
  /** Absent if the recording program did not check. */
  read: Schema.optionalKey(HowRead),
  findings: Count,
  /** The digests of its transcript, its standard output and codex's own record. */
  files: Schema.Struct({ log: Sha256, out: Sha256, review: Schema.NullOr(Sha256) })
})

/** The batch that proves a level, from the log and the transcripts. */
const LevelFields = Schema.Struct({
  level: Level,
  effort: Level,
  batch: Count,
  /** Where it was complete. */
  line: Count,
  /** Its input compared with the last batch's. Only `same` is about the subject. */
  code: Sameness,
  retrospective: Schema.Boolean,
  isolated: Schema.Boolean,
  /** Null if no transcript shows it, as `codex`. */
  model: Schema.NullOr(Schema.String),
  codex: Schema.NullOr(Schema.String),
  /** The versions of this program that recorded its reviews. */
  recordedBy: Schema.Array(Schema.String),
  /** The sha256 of each program that its reviewers were started with. Absent if it was not recorded. */
  programs: Schema.optionalKey(Schema.Array(Schema.String)),
  arguments: Schema.Array(Schema.String),
  reviewers: Schema.Array(Reviewer),
  waived: Schema.Array(WaivedFinding)
})
export type ShownLevel = Omit<typeof LevelFields.Type, "effort">

/** A run of a test of the project on exactly the reviewed tree. */
const Tested = Schema.Struct({ command: Schema.String, exit: Schema.NullOr(Count), output: Sha256 })
type Tested = typeof Tested.Type

/** The Statement that is printed. Its form is published, so its names are those of its predicate. */
export const Statement = Schema.Struct({
  _type: Schema.Literal(statementType),
  subject: Schema.Array(Subject),
  predicateType: Schema.Literal(predicateType),
  predicate: Schema.Struct({
    run: Schema.String,
    repository: Schema.String,
    target: Schema.Struct({ mode: Mode, key: Schema.String }),
    strict: Schema.Boolean,
    reviewed: Schema.Struct({
      head: Schema.NullOr(Schema.String),
      tree: Schema.NullOr(Schema.String),
      base: Schema.NullOr(Schema.String),
      mergeBase: Schema.NullOr(Schema.String),
      nested: Schema.NullOr(Schema.String),
      instructions: Schema.optionalKey(Schema.String),
      otherWorktrees: Schema.optionalKey(Schema.Array(Schema.String))
    }),
    fixedPoint: Schema.Struct({ level: Level, batch: Count, ceiling: Level, by: Schema.Literals(["Reviews", "Mark"]) }),
    claim: Schema.Literals(["every-level", "ceiling"]),
    levels: Schema.Array(LevelFields),
    tests: Schema.Array(Tested),
    /** The merge bases that a person allowed after another one had been reviewed. */
    movedBases: Schema.optionalKey(Schema.Array(Schema.String)),
    audit: Schema.Struct({ sound: Schema.Literal(true), complete: Schema.Boolean }),
    log: LogHead
  })
})
type Statement = typeof Statement.Type

const shownLevels = (
  { clean, level, sameness }: LevelProof,
  programs: Programs | undefined
): ReadonlyArray<ShownLevel> =>
  clean === null || sameness === null
    ? []
    : [{
      level,
      batch: clean.batch,
      line: clean.line,
      code: sameness,
      retrospective: clean.retrospective,
      isolated: clean.isolated === true,
      model: programs?.model ?? null,
      codex: programs?.codex ?? null,
      recordedBy: programs?.recordedBy ?? [],
      ...(programs === undefined || programs.digests.length === 0 ? {} : { programs: programs.digests }),
      arguments: clean.argv,
      reviewers: slotsOf(clean.reviews, "Finished").map((
        { attempts, files, findings, read, reason, slot, source, verdict }
      ) => ({
        slot,
        attempt: attempts,
        verdict,
        reason,
        source,
        findings,
        ...(read === undefined ? {} : { read }),
        files: { log: files.log.hex, out: files.out.hex, review: files.review?.hex ?? null }
      })),
      waived: clean.waived
    }]

/** The attested facts. */
export interface Attested {
  readonly run: string
  readonly repository: string
  readonly target: Target
  readonly strict: boolean
  readonly reviewed: Identity
  readonly fixedPoint: EventOf<"FixedPointReached">
  /** Whether every level was reviewed clean on the same code. */
  readonly complete: boolean
  readonly levels: ReadonlyArray<ShownLevel>
  readonly tests: ReadonlyArray<Tested>
  readonly movedBases?: ReadonlyArray<string>
  /** The line in which the fixed point was reached. */
  readonly head: { readonly seq: number; readonly hash: string }
}

const isGitId = (id: string | null | undefined): id is string =>
  typeof id === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)

/**
 * The reviewed state by git's ids: a commit that was the target; else the tree of all files that git does not ignore,
 * and the commit that was checked out if nothing had changed. Empty if the reviewed state is neither.
 */
export const subjectsOf = (target: Target, { head, headTree, tree }: Identity): ReadonlyArray<Subject> => {
  const commit: ReadonlyArray<Subject> = isGitId(head) ? [{ name: "commit", digest: { gitCommit: head } }] : []
  if (target._tag === "Commit") return commit
  if (!isGitId(tree)) return []
  return [{ name: "tree", digest: { gitTree: tree } }, ...(tree === headTree ? commit : [])]
}

const levelOf = ({ waived, ...level }: ShownLevel): typeof LevelFields.Type => ({
  ...level,
  effort: level.level,
  waived: waived.map(({ because, fingerprint, priority, title }) => ({
    fingerprint,
    title: redact(title),
    priority,
    because: because._tag === "BelowBlock" ? because : { ...because, reason: redact(because.reason) }
  }))
})

/** The Statement, as a plain value. */
export const statementOf = (
  { complete, fixedPoint, head, levels, movedBases = [], repository, reviewed, run, strict, target, tests }: Attested
): Statement => ({
  _type: statementType,
  subject: subjectsOf(target, reviewed),
  predicateType,
  predicate: {
    run,
    repository,
    target: { mode: mode(target), key: targetKey(target) },
    strict,
    reviewed: {
      head: reviewed.head ?? null,
      tree: reviewed.tree ?? null,
      base: reviewed.base ?? null,
      mergeBase: reviewed.mergeBase ?? null,
      nested: reviewed.nested ?? null,
      ...(reviewed.instructions === undefined ? {} : { instructions: reviewed.instructions }),
      ...(reviewed.otherWorktrees === undefined ? {} : { otherWorktrees: reviewed.otherWorktrees.map(redact) })
    },
    fixedPoint: {
      level: fixedPoint.level,
      batch: fixedPoint.batch,
      ceiling: fixedPoint.ceiling,
      by: fixedPoint.by
    },
    claim: complete ? "every-level" : "ceiling",
    levels: levels.map(levelOf),
    tests: tests.map(({ command, exit, output }) => ({ command: redact(command), exit, output })),
    ...(movedBases.length === 0 ? {} : { movedBases }),
    audit: { sound: true, complete },
    log: { seq: head.seq, hash: head.hash }
  }
})

/** The bytes of an attestation: one line, sorted keys, no hidden characters; the same for the same value. */
export const statementText = (statement: unknown): string => `${jsonText(JSON.parse(canonicalJson(statement)))}\n`

// What may be stated about a run to others: that its fixed point audits sound, and that the worktree still holds it.
// In doubt about either, nothing is written.

/** Why a run is not attested. */
const NotAttestedReason = Schema.TaggedUnion({
  /** `converged`: the run that reviewed its code to the fixed point, if the plan got so far. */
  OfPlan: { converged: Schema.NullOr(Schema.String) },
  NoFixedPoint: {},
  Unsound: { findings: Schema.Int },
  Unnamed: {},
  Gone: { worktree: Schema.String },
  Moved: { worktree: Schema.String },
  Staged: { files: Schema.Array(Schema.String) },
  Untold: { why: Schema.String },
  Unreadable: { error: ReviewFilesFailed }
})
type NotAttestedReason = typeof NotAttestedReason.Type

const reasonText = (run: string, reason: NotAttestedReason, place: Place): string => {
  const call = (words: string): string => readerCall(words, { ...place, run: null })
  switch (reason._tag) {
    case "OfPlan":
      return reason.converged === null
        ? "it works through a plan, and no run has reviewed its code to a fixed point " +
          "[implement its plan with --then converge, or converge its branch]"
        : `it works through a plan; its code was reviewed by another run [${
          call(`attest ${oneLine(reason.converged)}`)
        }]`
    case "NoFixedPoint":
      return `it has not reached a fixed point [${call(`status ${run}`)} says how to continue]`
    case "Unsound":
      return `its audit has ${counted(reason.findings, "finding")} [${call(`audit ${run}`)} shows them]`
    case "Unnamed":
      return "git has no name for what was reviewed [commit everything, and review that]"
    case "Gone":
      return `its worktree ${oneLine(reason.worktree)} is gone [put it back where it was]`
    case "Moved":
      return `${oneLine(reason.worktree)} holds other code than was reviewed [check out the reviewed code, or ` +
        `\`${call(`status ${run}`)}\` says how to continue with this]`
    case "Staged":
      return `the index holds other code than HEAD and than the reviewed files: ${
        someNames(reason.files.map(shownName))
      } [stage the reviewed files with \`git add\`, or unstage them with \`git reset\`]`
    case "Untold":
      return `it is not known what the worktree holds: ${oneLine(reason.why)}`
    case "Unreadable":
      return reason.error.message
  }
}

/** A run is not attested. Nothing has been written. `place` is the one that the caller named. */
export class NotAttested extends Schema.TaggedError<NotAttested>()("NotAttested", {
  run: Schema.String,
  reason: NotAttestedReason,
  place: Schema.optionalKey(Schema.Struct({
    stateRoot: Schema.NullOr(Schema.String),
    store: Schema.NullOr(Schema.String)
  }))
}) {
  readonly exitCode = exits.wrong
  override get message() {
    return `run ${this.run} is not attested: ${reasonText(this.run, this.reason, this.place ?? unnamed)}`
  }
}

/**
 * The events of a run's drivers, from their stream; null without one. A damaged stream is not used, because a failed
 * test could be missing from it.
 */
const drivenOf = Effect.fnUntraced(
  function*(run: RunRef) {
    const { commits } = yield* (yield* EventLog).read(convergeRun, run)
    return fold(convergeRun, commits)
  },
  Effect.catchTag("LogMissing", () => Effect.succeed(null))
)

/** The tests that a driver has run on exactly these files. */
const testsOn = (driven: ConvergeState | null, reviewed: Identity): ReadonlyArray<Tested> =>
  (driven?.tests ?? []).flatMap(({ standing, started: { before, command } }) => {
    if (standing._tag !== "Finished") return []
    const { content, exit, output } = standing.finished
    const same = [before, content].every((one) => one !== undefined && sameContent(reviewed, one) === "Same")
    return same ? [{ command, exit, output: output.hex }] : []
  })

const isThere = (target: Target, reviewed: Identity, now: Identity) =>
  target._tag === "Commit" ? sameInput(reviewed, now) : sameContent(reviewed, now)

/** The Statement about an audited run, or why it is refused. */
export const attestedBy = Effect.fn("Attest.attestedBy")(function*(run: RunRef, audited: Audited) {
  const { stateRoot, store } = yield* CallPlace
  const refused = (reason: NotAttestedReason) =>
    new NotAttested({ run: run.runId, reason, place: { stateRoot, store } })
  const { evidence, findings, proof, reviewedBy } = audited
  if (reviewedBy !== undefined) return yield* refused({ _tag: "OfPlan", converged: reviewedBy })
  if (findings > 0) return yield* refused({ _tag: "Unsound", findings })
  const last = proof?.levels.at(-1)?.clean ?? null
  if (proof === null || evidence === null || last === null) return yield* refused({ _tag: "NoFixedPoint" })
  const { fixedAt, programs, state: { strict, target, worktree } } = evidence
  const reviewed = last.completed
  if (subjectsOf(target, reviewed).length === 0) return yield* refused({ _tag: "Unnamed" })
  const git = yield* Git
  if (!(yield* git.exists(worktree))) return yield* refused({ _tag: "Gone", worktree })
  const now = yield* git.identity(worktree, target, last.reviews.base)
  const there = isThere(target, reviewed, now)
  if (there === "Different") return yield* refused({ _tag: "Moved", worktree })
  if (there === "Unknown") {
    return yield* refused({ _tag: "Untold", why: now._tag === "Unknown" ? now.why : "it was not recorded" })
  }
  const staged = target._tag === "Commit" ? [] : yield* Effect.catchTag(
    git.stagedApart(worktree),
    "GitFailed",
    ({ message }) => Effect.fail(refused({ _tag: "Untold", why: message }))
  )
  if (staged.length > 0) return yield* refused({ _tag: "Staged", files: staged })
  const driven = yield* drivenOf(run)
  const attested: Attested = {
    run: run.runId,
    repository: run.repoId,
    target,
    strict: strict !== undefined,
    reviewed,
    fixedPoint: proof.fixedPoint,
    complete: proof.complete,
    levels: proof.levels.flatMap((level) => shownLevels(level, programs.get(level.level))),
    tests: testsOn(driven, reviewed),
    movedBases: movedBases(driven),
    head: fixedAt
  }
  return statementOf(attested)
})

/** Audits a stored run, and returns the Statement about it. Only reads. */
export const attest = Effect.fn("Attest.attest")(function*(run: RunRef) {
  const audited = yield* Effect.catchTag(
    audit(run),
    "ReviewFilesFailed",
    (error) => Effect.fail(new NotAttested({ run: run.runId, reason: { _tag: "Unreadable", error } }))
  )
  return Schema.encodeSync(Statement)(yield* attestedBy(run, audited))
})
