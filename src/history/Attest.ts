// Attest: what may be said to others of a run: that its fixed point audits sound, and that the worktree still holds it.
// In doubt about either, it says nothing.
import { Effect, Schema } from "effect"
import { type Attested, type ShownLevel, statementOf, subjectsOf, type Tested } from "../core/attest/Statement.ts"
import { convergeRun, type ConvergeState } from "../core/converge/ConvergeRun.ts"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import { planRun } from "../core/implement/PlanRun.ts"
import { fold } from "../core/log/Walk.ts"
import { slotsOf } from "../core/run/Batch.ts"
import { type Identity, sameContent, sameInput } from "../core/run/Identity.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Target } from "../core/run/Target.ts"
import { counted } from "../core/text/Phrases.ts"
import { oneLine } from "../core/text/Text.ts"
import { EventLog } from "../services/EventLog.ts"
import { Git } from "../services/Git.ts"
import { ReviewFilesFailed } from "../services/ReviewFiles.ts"
import { audit, type Audited } from "./Audit.ts"
import type { LevelProof } from "./Proof.ts"
import type { Programs } from "./Witness.ts"

/** Why a run is not attested. */
export const NotAttestedReason = Schema.TaggedUnion({
  /** `converged`: the run that reviewed its code to the fixed point, if the plan got so far. */
  OfPlan: { converged: Schema.NullOr(Schema.String) },
  NoFixedPoint: {},
  Unsound: { findings: Schema.Int },
  Unnamed: {},
  Gone: { worktree: Schema.String },
  Moved: { worktree: Schema.String },
  Untold: { why: Schema.String },
  Unreadable: { error: ReviewFilesFailed }
})
export type NotAttestedReason = typeof NotAttestedReason.Type

const reasonText = (run: string, reason: NotAttestedReason): string => {
  switch (reason._tag) {
    case "OfPlan":
      return reason.converged === null
        ? "it works through a plan, and no run has reviewed its code to a fixed point " +
          "[implement its plan with --then converge, or converge its branch]"
        : `it works through a plan; its code was reviewed by another run [attest ${oneLine(reason.converged)}]`
    case "NoFixedPoint":
      return "it has not reached a fixed point [call a step until it has]"
    case "Unsound":
      return `its audit has ${counted(reason.findings, "finding")} [ooda-codex-review audit ${run} tells them]`
    case "Unnamed":
      return "git has no name for what was reviewed [commit everything, and review that]"
    case "Gone":
      return `its worktree ${oneLine(reason.worktree)} is not there any more [put it back where it was]`
    case "Moved":
      return `${
        oneLine(reason.worktree)
      } holds other code than was reviewed [check out the reviewed code, or review this]`
    case "Untold":
      return `it cannot be told what the worktree holds: ${oneLine(reason.why)}`
    case "Unreadable":
      return reason.error.message
  }
}

/** A run is not attested. Nothing has been written. */
export class NotAttested extends Schema.TaggedError<NotAttested>()("NotAttested", {
  run: Schema.String,
  reason: NotAttestedReason
}) {
  override get message() {
    return `run ${this.run} is not attested: ${reasonText(this.run, this.reason)}`
  }
}

/** The run that converged the code of a plan run, by its log. */
const convergedBy = Effect.fnUntraced(function*(run: RunRef) {
  const { commits } = yield* (yield* EventLog).read(planRun, run)
  const last = commits.flatMap(({ events }) => events).findLast(({ _tag }) => _tag === "PlanConverged")
  return last?._tag === "PlanConverged" ? last.run : null
})

const levelOf = ({ clean, level, sameness }: LevelProof, programs: Programs | undefined): ReadonlyArray<ShownLevel> =>
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

/**
 * What drivers have done, by their stream; null without one. A damaged stream is not used, because a red test could be
 * missing from it.
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

/** The Statement about an audited run, or why there is none. */
export const attestedBy = Effect.fn("Attest.attestedBy")(function*(run: RunRef, audited: Audited) {
  const refused = (reason: NotAttestedReason) => new NotAttested({ run: run.runId, reason })
  if (isPlanRun(run)) return yield* refused({ _tag: "OfPlan", converged: yield* convergedBy(run) })
  const { evidence, findings, proof } = audited
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
  const driven = yield* drivenOf(run)
  const attested: Attested = {
    run: run.runId,
    repository: run.repoId,
    target,
    strict: strict !== undefined,
    reviewed,
    fixedPoint: proof.fixedPoint,
    complete: proof.complete,
    levels: proof.levels.flatMap((level) => levelOf(level, programs.get(level.level))),
    tests: testsOn(driven, reviewed),
    head: fixedAt
  }
  return statementOf(attested)
})

/** Audits a stored run, and gives the Statement about it. Only reads. */
export const attest = Effect.fn("Attest.attest")(
  function*(run: RunRef) {
    return yield* attestedBy(run, yield* audit(run))
  },
  (attested, run) =>
    Effect.catchTag(
      attested,
      "ReviewFilesFailed",
      (error) => Effect.fail(new NotAttested({ run: run.runId, reason: { _tag: "Unreadable", error } }))
    )
)
