// Audit: a review run's log, its transitions, verdicts and files, checked from the first line to the last.
import { Effect } from "effect"
import type { Head } from "../../log/StreamKind.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import type { Level } from "../../run/Level.ts"
import type { RunState } from "../../run/Manifest.ts"
import type { RunRef } from "../../log/Refs.ts"
import { batchName } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { inRoundText } from "../../run/Dismissal.ts"
import { version } from "../../platform/Version.ts"
import type { LogReadError } from "../../log/EventLog.ts"
import { recovered } from "../../platform/Note.ts"
import type { WalkedRun } from "../../run/ReviewRun.ts"
import { RunStore } from "../../run/RunStore.ts"
import { auditLog, type LogAudited } from "./AuditLog.ts"
import { found, noted } from "../LogReader.ts"
import { movedBases } from "../../agent/State.ts"
import { driverOf } from "../../drive/Spending.ts"
import type { DrivenState } from "../../drive/State.ts"
import type { PlanState } from "../../drive/plan/State.ts"
import { driverFault, endProblems, headProblems, headsOf, markProblem } from "./DriverMarks.ts"
import { type Converged, type KnownPlan, planAuditor } from "./PlanRun.ts"
import { gapsOf, type Proof, proofOf, prunedIn, refuted, unshownIn } from "./Proof.ts"
import { type Known, reviewRunAuditor, type ReviewRunOptions, type Word } from "./ReviewRun.ts"
import { type Programs, programsOf, type Witness } from "./Evidence.ts"

/** The options of an audit, and the head that the log must hold, if any. */
export interface AuditOptions extends ReviewRunOptions {
  readonly expectHead: Head | null
}

/** The result of an audit. */
export interface Audited {
  readonly findings: number
  readonly lines: number
  readonly events: number
  readonly reviews: number
  readonly head: Head
  readonly proof: Proof | null
  /** The subject of the proof: the final state of the run, the line of the fixed point, who reviewed each level. */
  readonly evidence: Evidence | null
  /** The run that reviewed a plan's code, or null; absent for a run that reviews code itself. */
  readonly reviewedBy?: string | null
}

/** The basis of an attestation, beside the proof. */
interface Evidence {
  readonly state: RunState
  readonly fixedAt: Head
  readonly programs: ReadonlyMap<Level, Programs>
}

/** Whether the run that converged a plan's code has the head that the plan names. That run may be pruned by now. */
const convergedWords = Effect.fnUntraced(function*(plan: RunRef, { event: { head, run }, line }: Converged) {
  if (head === undefined) return []
  const unread = [noted(line, `run ${oneLine(run)} cannot be read, so that the head named of it was not looked for`)]
  const ref = (yield* (yield* RunStore).list(plan.root, plan.repoId)).find(({ runId }) => runId === run)
  if (ref === undefined) return unread
  const named = [{ what: `run ${oneLine(run)} converged the code`, head }]
  const problems = Effect.tapError(headProblems(ref, named), recovered("the head named of that run is not looked for"))
  return yield* Effect.match(problems, {
    onFailure: () => unread,
    onSuccess: (problems) => problems.map(({ text }) => found("driver", line, text))
  })
})

const isFound = ({ _tag }: Word): boolean => _tag === "Found"

/** Damage to a driver's stream is a finding; that it cannot be read here is a note. */
const unreadDriver = (fault: LogReadError): Word => {
  const text = `the stream of its driver cannot be read to its end, and the rest was not looked at: ${
    oneLine(fault.message)
  }`
  return fault._tag === "LogDamaged" || fault._tag === "LogRewound" ? found("driver", 0, text) : noted(0, text)
}

const endsIn = (state: DrivenState | null): ReadonlyArray<Word> =>
  endProblems(state).map((problem) => found("driver", 0, problem))

const programsIn = ({ levels }: Proof, witness: Witness): ReadonlyMap<Level, Programs> =>
  new Map(
    levels.flatMap(({ clean, level }) =>
      clean === null ? [] : [[level, programsOf(witness, batchName(clean))] as const]
    )
  )

/** The conclusion from the whole log of a run, with further findings. */
interface Conclusion extends Pick<Audited, "proof" | "evidence" | "reviewedBy"> {
  readonly words: ReadonlyArray<Word>
}

/** Concludes about a run of reviews: whether its drivers' marks are justified, and what its fixed point has proven. */
const concludeReviews = Effect.fnUntraced(function*(
  run: RunRef,
  { logOnly }: AuditOptions,
  { findings, known, place }: LogAudited<WalkedRun, Known>
) {
  const { marks, shown, treeChanges, witness } = known
  const driver = yield* driverOf(run)
  const driven = driver?.walked.state ?? null
  const unfounded = marks.flatMap((mark) => {
    const problem = markProblem(driven, mark)
    return problem === null ? [] : [found("driver", mark.line, problem)]
  })
  const unseen = driven === null ? [] : yield* headProblems(run, headsOf(driven))
  // Damage of the run's own log is already a finding.
  const heads = unseen.filter(({ damaged }) => !damaged).map(({ line, text }) => found("driver", line, text))
  const fault = yield* driverFault(run, driver)
  const bases = movedBases(driven).map((to) =>
    noted(0, `a person allowed that the change is compared with ${oneLine(to)}`)
  )
  const meanwhile = (place.walked.state?.run.dismissed ?? []).flatMap(({ fingerprint, inRound }) =>
    inRound === undefined ? [] : [noted(0, `${fingerprint} was dismissed ${inRoundText(inRound)}`)]
  )
  const ends = endsIn(driven)
  const unread = fault === null ? [] : [unreadDriver(fault)]
  const ofDriver = [...unfounded, ...heads, ...ends, ...bases, ...meanwhile, ...unread]
  // A proof itself names its batches that changed under review. A batch that a later one replaced is not part of it.
  const support = findings > treeChanges ? "refuted" : logOnly ? "unchecked" : "borne out"
  const state = place.walked.state?.run
  if (state === undefined) {
    return { words: ofDriver, proof: null, evidence: null } satisfies Conclusion
  }
  const proof = proofOf(shown, { floor: state.start_level, strict: state.strict !== undefined }, support)
  if (proof === null) {
    return { words: ofDriver, proof, evidence: null } satisfies Conclusion
  }
  const unshown = unshownIn(proof, witness)
  const gaps = [...gapsOf(proof), ...prunedIn(proof, witness), ...(proof.strict ? unshown : [])]
  return {
    words: [
      ...ofDriver,
      ...gaps.map((gap) => found("proof", 0, gap)),
      ...(proof.strict ? [] : unshown.map((what) => noted(0, what)))
    ],
    proof: gaps.length + ofDriver.filter(isFound).length === 0 ? proof : refuted(proof),
    evidence: known.fixedAt === null
      ? null
      : { state, fixedAt: known.fixedAt, programs: programsIn(proof, witness) }
  } satisfies Conclusion
})

/** Concludes about a plan run. It proves nothing about its code: the run that converges it does. */
const concludePlan = Effect.fnUntraced(
  function*(run: RunRef, { known: { converged }, place }: LogAudited<PlanState | null, KnownPlan>) {
    const words = (yield* Effect.forEach(converged, (one) => convergedWords(run, one))).flat()
    return {
      words: [...words, ...endsIn(place.walked.state)],
      proof: null,
      evidence: null,
      reviewedBy: converged.at(-1)?.event.run ?? null
    } satisfies Conclusion
  }
)

/** Audits a stored run and passes on each finding and note at once. Fails if the log cannot be read at all. */
export const auditRun = Effect.fn("Audit.auditRun")(function*<E>(
  run: RunRef,
  options: AuditOptions,
  say: (words: ReadonlyArray<Word>) => Effect.Effect<void, E>
) {
  const audited = Effect.fnUntraced(
    function*<S, K extends { readonly reviews: number }, Err, R, Err2, R2>(
      log: Effect.Effect<LogAudited<S, K>, Err, R>,
      conclude: (seen: LogAudited<S, K>) => Effect.Effect<Conclusion, Err2, R2>
    ) {
      const seen = yield* log
      const { events, findings, known, lines, place } = seen
      const { words, ...concluded } = yield* conclude(seen)
      yield* say(words)
      return {
        ...concluded,
        findings: findings + words.filter(isFound).length,
        lines,
        events,
        reviews: known.reviews,
        head: place.head
      } satisfies Audited
    }
  )
  return yield* isPlanRun(run)
    ? audited(auditLog(planAuditor, run, options, say), (seen) => concludePlan(run, seen))
    : audited(
      auditLog(reviewRunAuditor(run, options), run, options, say),
      (seen) => concludeReviews(run, options, seen)
    )
})

/** What an audit found, in order, and its result. */
export interface AuditReport extends Audited {
  readonly words: ReadonlyArray<Word>
}

/** Audits a stored run: its log, transitions, verdicts and files; only reads. Nothing found is a sound run. */
export const audit = Effect.fn("Audit.audit")(function*(run: RunRef, options: Partial<AuditOptions> = {}) {
  const words: Array<Word> = []
  const all = { expectHead: null, logOnly: false, reclassify: false, version, ...options }
  const audited = yield* auditRun(run, all, (more) => Effect.sync(() => void words.push(...more)))
  return { ...audited, words } satisfies AuditReport
})
