// FindingsJson: the findings of a batch for programs: in the document of `findings --json`, and in that of a step.
// The one rule: fields are only added; bodies are whole unless a bound is given, and what is cut says so.
import type { Finding } from "./Finding.ts"
import type { Seen, Thread } from "./FindingHistory.ts"
import { type FindingsReport, type Reported, verdictOf } from "./FindingsReport.ts"
import type { StartedBatch } from "./Batch.ts"
import { type Unlisted, wholeFile } from "./Review.ts"
import { cut, jsonText } from "./Untrusted.ts"

/** The longest body in the document of a step: an outer agent reads it whole. */
export const stepBody = 16_000

type State = Reported["state"] | "gone" | "not reported so far"

const bodyOf = (body: string, most: number) => {
  const kept = cut(body, most)
  return { body: kept, cut: kept.length < body.length }
}

const findingJson = (finding: Finding, state: State, before: Seen | null, most: number) => ({
  ...finding,
  ...bodyOf(finding.body, most),
  reports: finding.reports.map((report) => ({ ...report, ...bodyOf(report.body, most) })),
  history: state,
  before
})

const threadJson = (state: State, most: number) => ({ finding, seen }: Thread) =>
  findingJson(finding, state, seen, most)

/** The slots of a batch: the verdicts of those that have one, the failures of those that failed. */
export const slotsJson = ({ slots }: StartedBatch) =>
  slots.map((slot) => ({
    slot: slot.slot,
    state: slot._tag,
    attempt: slot.attempts,
    verdict: slot._tag === "Finished" ? slot.verdict : null,
    reason: slot._tag === "Finished" ? slot.reason : null,
    source: slot._tag === "Finished" ? slot.source : null,
    failure: slot._tag === "Failed" ? { kind: slot.kind, message: slot.message } : null
  }))

/** What of a report tells of findings: those of the batch with their history, what is gone, what stands in no list. */
export const findingsPart = (report: FindingsReport, most = Number.MAX_SAFE_INTEGER) => {
  const { batch, findings, gone, unseen } = report
  return {
    findings: findings.map(({ before, finding, found, of, state }) => ({
      ...findingJson(finding, state, before, most),
      agreement: { found, of }
    })),
    unlisted: batch.unlisted.map(({ body, reason, slot }: Unlisted) => ({
      slot,
      reason,
      ...bodyOf(body, most),
      file: wholeFile(batch, slot)
    })),
    gone: gone.map(threadJson("gone", most)),
    unseen: unseen.map(threadJson("not reported so far", most)),
    omitted: { findings: batch.dropped, batches: report.unread }
  }
}

/** The document of `findings --json`: one line that ends in a newline. */
export const findingsJson = (report: FindingsReport): string => {
  const { batch, run, target } = report
  return `${jsonText({
    schema: 1,
    run,
    target,
    level: batch.level,
    batch: batch.batch,
    directory: batch.dir,
    verdict: verdictOf(report),
    reviews: slotsJson(batch.started),
    ...findingsPart(report)
  })}\n`
}
