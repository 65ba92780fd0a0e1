// Json: the findings of a batch for programs: in the documents of `findings --json` and of a step.
// Fields are only added; bodies are whole unless a limit is given, and a cut text says so.
import { Schema } from "effect"
import { type Estimate, estimateOf } from "../Estimate.ts"
import { Finding, Report } from "../Finding.ts"
import type { Sightings, Thread } from "../History.ts"
import { type FindingsReport, verdictOf } from "../Report.ts"
import type { StartedBatch } from "../../../run/Batch.ts"
import { type Dismissal, Scope } from "../../../run/Dismissal.ts"
import { Count, documentText, RunName, version } from "../../../run/Document.ts"
import { FailureKind } from "../../../run/FailureKind.ts"
import { Level } from "../../../run/Level.ts"
import { VerdictSource } from "../../../run/ReviewTokens.ts"
import { type UnlistedReview, wholeFile } from "../ReviewedBatch.ts"
import { cut } from "../../../text/Untrusted.ts"

const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const At = Schema.Struct({ level: Level, batch: Count })

/** Whether an earlier batch had the finding too, in the words of the step's document. */
export const HistoryName = Schema.Literals(["new", "still there", "came back", "gone", "not reported so far"])

const found = {
  ...Finding.fields,
  reports: Schema.Array(Schema.Struct({ ...Report.fields, cut: Schema.Boolean })),
  cut: Schema.Boolean,
  history: HistoryName,
  before: Schema.NullOr(Schema.Struct({ first: At, last: At, times: Count }))
}

/** A reviewer's place in a batch. */
export const SlotFields = Schema.Struct({
  slot: Count,
  state: Schema.Literals(["Queued", "Running", "Finished", "Failed"]),
  attempt: Count,
  verdict: Schema.NullOr(Schema.Literals(["Clean", "HasIssues"])),
  reason: Schema.NullOr(Schema.String),
  source: Schema.NullOr(VerdictSource),
  failure: Schema.NullOr(Schema.Struct({ kind: FailureKind, message: Schema.String }))
})

/** The part of a finding that a document shows. */
export const findingsFields = {
  findings: Schema.Array(Schema.Struct({
    ...found,
    dismissed: Schema.NullOr(
      Schema.Struct({ scope: Scope, at: Schema.String, until: Schema.NullOr(Schema.String), reason: Schema.String })
    ),
    agreement: Schema.Struct({ found: Count, of: Count })
  })),
  unlisted: Schema.Array(
    Schema.Struct({ slot: Count, reason: Schema.String, body: Schema.String, cut: Schema.Boolean, file: Schema.String })
  ),
  gone: Schema.Array(Schema.Struct(found)),
  unseen: Schema.Array(Schema.Struct(found)),
  /** How many unreported findings are expected (docs/estimate.md), or why nothing is said. */
  estimate: Schema.Struct({
    found: Count,
    reviewers: Count,
    expected: Schema.NullOr(Schema.Struct({
      more: Amount,
      low: Amount,
      high: Amount,
      by: Schema.Literals(["ChaoMt", "Jackknife"]),
      chaoMt: Amount,
      jackknife: Amount
    })),
    because: Schema.NullOr(Schema.Literals(["NoFindings", "OneReviewer", "NoOverlap", "Incomplete"]))
  }),
  omitted: Schema.Struct({ findings: Count, batches: Count })
}

/** The document of `findings --json` about a batch. */
export class BatchFindings extends Schema.Class<BatchFindings>("BatchFindings")({
  schema: version,
  run: RunName,
  level: Level,
  batch: Count,
  directory: Schema.String,
  verdict: Schema.Literals(["None", "Findings", "Unknown"]),
  reviews: Schema.Array(SlotFields),
  ...findingsFields
}) {}

/** How much of a report a document holds: characters of a title or body, findings of a kind. */
interface Bound {
  readonly characters: number
  readonly findings: number
}

const boundless: Bound = { characters: Number.MAX_SAFE_INTEGER, findings: Number.MAX_SAFE_INTEGER }
/** The limit for the document of a step: an outer agent reads it whole. */
export const stepBound: Bound = { characters: 16_000, findings: 200 }

const bodyOf = (text: string, { characters }: Bound) => {
  const body = cut(text, characters)
  return { body, cut: body.length < text.length }
}

const wordsOf = ({ body, title }: Pick<Finding, "title" | "body">, bound: Bound) => {
  const short = cut(title, bound.characters)
  const words = bodyOf(body, bound)
  return { title: short, ...words, cut: words.cut || short.length < title.length }
}

const findingJson = (finding: Finding, state: typeof HistoryName.Type, before: Sightings | null, bound: Bound) => ({
  ...finding,
  ...wordsOf(finding, bound),
  reports: finding.reports.map((report) => ({ ...report, ...wordsOf(report, bound) })),
  history: state,
  before
})

const threadsJson = (threads: ReadonlyArray<Thread>, state: typeof HistoryName.Type, bound: Bound) =>
  threads.slice(0, bound.findings).map(({ finding, seen }) => findingJson(finding, state, seen, bound))

const dismissalJson = ({ at, reason, scope, until }: Dismissal, { characters }: Bound) => ({
  scope,
  at,
  until,
  reason: cut(reason, characters)
})

const estimateJson = (of: Estimate) => {
  const { found, reviewers } = of
  if (of._tag === "Silent") return { found, reviewers, expected: null, because: of.because }
  const { by, chaoMt, high, jackknife, low, more } = of
  return { found, reviewers, expected: { more, low, high, by, chaoMt, jackknife }, because: null }
}

/** The slots of a batch: the verdicts and the failures. */
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

/** The parts of a report about findings: the batch's findings, the gone ones, unlisted reviews, and the estimate. */
export const findingsPart = (report: FindingsReport, bound = boundless) => {
  const { batch, findings, gone, unread, unseen } = report
  const more = Math.max(0, findings.length - bound.findings)
  return {
    findings: findings.slice(0, bound.findings).map(({ before, dismissed, finding, found, of, state }) => ({
      ...findingJson(finding, state, before, bound),
      dismissed: dismissed === null ? null : dismissalJson(dismissed, bound),
      agreement: { found, of }
    })),
    unlisted: batch.unlisted.map(({ body, reason, slot }: UnlistedReview) => ({
      slot,
      reason,
      ...bodyOf(body, bound),
      file: wholeFile(batch, slot)
    })),
    gone: threadsJson(gone, "gone", bound),
    unseen: threadsJson(unseen, "not reported so far", bound),
    estimate: estimateJson(estimateOf(batch)),
    omitted: { findings: batch.dropped + more, batches: unread }
  }
}

/** The document of `findings --json`: one line that ends in a newline. */
export const findingsJson = (report: FindingsReport): string => {
  const { batch, repo, run, target } = report
  return documentText(BatchFindings, {
    run: { run, repo, target },
    level: batch.level,
    batch: batch.batch,
    directory: batch.places.directory,
    verdict: verdictOf(report),
    reviews: slotsJson(batch.started),
    ...findingsPart(report)
  })
}
