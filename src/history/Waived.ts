// Waived: whether a batch whose findings are recorded as not blocking has those findings, and no reason was made up.
// The one rule: its files are asked again, and so is the text that a step keeps before the log says so.
import { Effect } from "effect"
import type { Place } from "../core/log/StreamKind.ts"
import type { Finding } from "../core/findings/Finding.ts"
import { dismisses, shortReason, waiverText, weightOf } from "../core/findings/Waiving.ts"
import { type Dismissal, holds, type WaivedFinding } from "../core/run/Dismissal.ts"
import type { EventOf } from "../core/run/Event.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { batchName } from "../core/text/Phrases.ts"
import { findingsIn } from "../runs/Waivers.ts"
import { RunStore } from "../services/RunStore.ts"
import { found, noted } from "./AuditFinding.ts"
import type { CleanBatch } from "./Proof.ts"

/** A batch that was said not to block: the event with its line, the batch, and what had been dismissed by then. */
export interface WaivedBatch {
  readonly line: Place
  readonly event: EventOf<"BatchWaived">
  readonly flawed: Pick<CleanBatch, "reviews">
  readonly dismissed: ReadonlyArray<Dismissal>
  readonly worktree: string
}

/** Whether the recorded reason really keeps this finding from blocking. */
const isReason = (finding: Finding, { because }: WaivedFinding, { dismissed, event, line }: WaivedBatch): boolean => {
  if (because._tag === "BelowBlock") return weightOf(finding) > event.block
  return because.scope === "repo" ||
    dismissed.some((dismissal) =>
      holds(dismissal, line.at.slice(0, 10)) && dismissal.until === because.until &&
      shortReason(dismissal.reason) === because.reason && dismisses(dismissal, finding)
    )
}

/** What is wrong with what was said of the findings of a batch, or null. */
export const waivedProblem = (findings: ReadonlyArray<Finding>, waived: WaivedBatch): string | null => {
  const { findings: said, rest } = waived.event
  if (rest === undefined && findings.length !== said.length) {
    return `${findings.length} findings were reported, ${said.length} are recorded as not blocking`
  }
  for (const [i, one] of said.entries()) {
    const finding = findings[i]
    if (finding === undefined || finding.fingerprint !== one.fingerprint || finding.priority !== one.priority) {
      return `${one.fingerprint} is not what was reported`
    }
    if (!isReason(finding, one, waived)) return `${one.fingerprint} blocks: it is not below the bar and not dismissed`
  }
  return null
}

/** Asks the files of a batch whether what was said of its findings is so. */
export const recheckWaived = Effect.fn("Waived.recheckWaived")(function*(run: RunRef, waived: WaivedBatch) {
  const { event, flawed: { reviews }, line: { seq }, worktree } = waived
  const findings = yield* findingsIn(run, event, reviews, worktree)
  const name = batchName(event)
  // A batch of an earlier version kept no such text.
  if (reviews.waiversKept === true && !(yield* (yield* RunStore).keeps(run, waiverText(event)))) {
    return [
      found("verdict", seq, `${name}: only the log says that nothing in it blocks; no step has kept a text of it`)
    ]
  }
  if (findings === null) return [noted(seq, `${name}: its files no longer show the findings that were recorded`)]
  const problem = waivedProblem(findings, waived)
  return problem === null ? [] : [found("verdict", seq, `${name}: ${problem}`)]
})
