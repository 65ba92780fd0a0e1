// Handoff: what a step handed over: the findings of its batch, and what all batches of the run have found so far.
import { Effect } from "effect"
import { blocks } from "../core/converge/AddressPrompt.ts"
import type { Handoff } from "../core/converge/Decision.ts"
import type { FindingsReport } from "../core/findings/FindingsReport.ts"
import { findingsReport } from "../core/findings/FindingsReport.ts"
import { fnv1a64 } from "../core/findings/Fingerprint.ts"
import type { ReviewedBatch } from "../core/findings/Review.ts"
import type { Settings } from "../core/loop/Settings.ts"
import type { Identity } from "../core/run/Identity.ts"
import { barOf } from "../runs/Bar.ts"
import { readHistory } from "../runs/ReadReviews.ts"
import { currentBatch, type Run } from "../runs/Run.ts"

/** A hand-off that stands: what is decided from, its prompt, the findings, and what was reviewed. */
export interface Standing {
  readonly handoff: Handoff
  readonly prompt: string
  readonly report: FindingsReport
  readonly content: Identity
}

/** What is handed over: which kind of work, and the words of the contract for it. */
export type HandedOver = Pick<Handoff, "kind"> & Pick<Standing, "prompt">

const found = ({ findings, unlisted }: ReviewedBatch): ReadonlyArray<string> => [
  ...findings.map(({ fingerprint }) => fingerprint),
  ...unlisted.map(({ slot }) => `unlisted-${slot}`)
]

// Clean batches add nothing to look over.
const historyOf = (batches: ReadonlyArray<ReviewedBatch>): string =>
  fnv1a64(
    batches.map((one) => [one.level, one.batch, ...found(one)]).filter((one) => one.length > 2).join("\n")
  )

/** Reads what the hand-off of a step is about. */
export const standingOf = Effect.fn("Handoff.standingOf")(
  function*(run: Run, { kind, prompt }: HandedOver, settings: Settings) {
    const { level, batch } = currentBatch(run)
    const { batches } = yield* readHistory(run, { until: { level, batch } })
    const report = findingsReport(run.manifest, batches, yield* barOf(run, settings))
    if (report === null) return yield* Effect.die(new Error("a hand-off is about a batch that never began"))
    const { completed, identity } = report.batch.started
    const open = report.findings.filter(blocks).map(({ finding }) => finding.fingerprint)
    return {
      handoff: {
        kind,
        level,
        batch,
        findings: [...new Set(open), ...report.batch.unlisted.map(({ slot }) => `unlisted-${slot}`)],
        anyFinding: batches.some((one) => found(one).length > 0),
        history: historyOf(batches)
      },
      prompt,
      report,
      content: completed ?? identity
    } satisfies Standing
  }
)
