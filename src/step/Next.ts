// Next: gathers the input of a decision besides the log, and lets `run/Decide.ts` decide.
import { Effect } from "effect"
import { header } from "../run/Outcome.ts"
import { decide, type Decision, needsIdentity } from "../run/Decide.ts"
import { decideStrict, dependsOnPresent, countedClean } from "../run/StrictDecide.ts"
import type { BatchName } from "../review/findings/ReviewedBatch.ts"
import type { Settings } from "../run/Settings.ts"
import { lastWithIssues, type IsWaived } from "../run/Cover.ts"
import { barOf } from "../review/findings/Waiving.ts"
import { baseOrLast, presentBase, type Present, presentRead, presentWith } from "../code/PresentIdentity.ts"
import { lostRepository } from "../code/PrivateRepository.ts"
import { noWaivers, type Waivers, waiversOf } from "../review/Waivers.ts"
import { handoffPlaces } from "./Halt.ts"
import type { RecordedRun } from "../review/Record.ts"
import { type Fields, note } from "../platform/Note.ts"

/** The present state of the code if the decision depends on it; else null. */
const presentFor = Effect.fnUntraced(function*(
  { completed, run: { manifest } }: RecordedRun,
  retries: number,
  waived: IsWaived
) {
  const { batch, strict } = manifest
  const known = completed === null || batch._tag === "NotStarted" ? null : { base: batch.base, identity: completed }
  if (strict !== undefined) {
    if (!dependsOnPresent(manifest, retries, waived)) return null
    return yield* presentWith(manifest, yield* presentBase(manifest), known)
  }
  if (batch._tag === "NotStarted" || !needsIdentity(manifest, retries)) return null
  // Without strictness a pull request's base stays for the whole call in which its batch became complete.
  return known ?? (yield* presentWith(manifest, yield* baseOrLast(manifest, batch.base)))
})

/** The decision, the present code if it was needed, and which issues do not block and count as clean. */
export interface NextDecision {
  readonly decision: Decision
  readonly present: Present | null
  /** The missing private repository in which slots would be run again, or null. */
  readonly lost: string | null
  readonly waivers: Waivers
  readonly takenForClean: ReadonlyArray<BatchName>
}

/** The note about a decision, with its reason. A halt is noted by its header, because prompts are long. */
const fieldsOf = (decision: Decision): Fields => {
  switch (decision._tag) {
    case "RunReviews":
      return { decision: decision._tag, because: decision.cause, key: decision.key }
    case "AwaitReviews":
      return { decision: decision._tag, key: decision.key }
    case "Halt":
      return { decision: decision._tag, because: header(decision.outcome) }
  }
}

const isFixedPoint = (decision: Decision): boolean =>
  decision._tag === "Halt" && decision.outcome._tag === "DoneFixedPoint"

/** The decision; a fixed point of a strict run only if the bytes of every file confirm it. */
const decided = Effect.fnUntraced(
  function*(recorded: RecordedRun, openedAt: number, settings: Settings) {
    const { run } = recorded
    const { strict } = run.manifest
    const { ceiling, maxBatches, retries } = settings
    const waivers = strict === undefined || lastWithIssues(strict).length === 0
      ? noWaivers
      : yield* waiversOf(run, strict, yield* barOf(run, settings))
    const { waived } = waivers
    const known = yield* presentFor(recorded, retries, waived)
    const lost = yield* lostRepository(run)
    const paths = yield* handoffPlaces(run)
    const contextWith = (present: Present | null) => ({
      ceiling,
      retries,
      openedAt,
      maxBatches,
      paths,
      identity: present?.identity ?? null,
      lost: lost !== null
    })
    if (strict === undefined) {
      const decision = decide(run.manifest, contextWith(known))
      return { decision, present: known, lost, waivers, takenForClean: [] } satisfies NextDecision
    }
    const strictly = (present: Present | null): NextDecision => {
      const context = { ...contextWith(present), waived }
      const decision = decideStrict(run.manifest, strict, context)
      return { decision, present, lost, waivers, takenForClean: countedClean(run.manifest, strict, context) }
    }
    const next = strictly(known)
    return known !== null && isFixedPoint(next.decision) ? strictly(yield* presentRead(run.manifest, known)) : next
  }
)

/**
 * Decides what comes next for a run. `openedAt` is the last line at the invocation's beginning. An identity is slow in
 * a large repository: it is computed only if the decision depends on it and it was not computed just now.
 */
export const decideNext = Effect.fn("Next.decideNext")(
  function*(recorded: RecordedRun, openedAt: number, settings: Settings) {
    const next = yield* decided(recorded, openedAt, settings)
    yield* note("decided", fieldsOf(next.decision))
    return next
  }
)
