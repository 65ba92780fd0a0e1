// Report: the findings of one batch with their history. Every format is written from it.
// A batch with a missing review is never reported as having no findings.
import { slotsOf } from "../../run/Batch.ts"
import { agreement } from "./Finding.ts"
import { findingHistory, type FindingState, type Thread, type TrackedFinding } from "./History.ts"
import type { LevelRecord, Manifest } from "../../run/Manifest.ts"
import type { Dismissal } from "../../run/Dismissal.ts"
import type { BatchName, ReviewedBatch } from "./ReviewedBatch.ts"
import { cut } from "../../text/Untrusted.ts"
import { redact } from "../../text/redaction/Redaction.ts"
import type { Finding } from "./Finding.ts"
import { type Bar, dismissed, lowestBar, weightOf } from "./Waiving.ts"

/** A finding of the batch, with how many of its finished reviewers reported it. */
export interface ReportedFinding extends TrackedFinding {
  readonly found: number
  readonly of: number
  /** The numbers (from 1) of neighbouring findings of this report that count as other defects. */
  readonly near: ReadonlyArray<number>
  /** The dismissal by which it does not block, if any. */
  readonly dismissed: Dismissal | null
  /** Whether it weighs too little to block. */
  readonly light: boolean
}

export interface FindingsReport {
  readonly run: string
  readonly repo: string
  readonly target: string
  /** Whether the run is strict: then findings can be dismissed. */
  readonly strict: boolean
  /** The absolute path of the worktree that paths are relative to. */
  readonly root: string
  readonly batch: ReviewedBatch
  readonly findings: ReadonlyArray<ReportedFinding>
  /** The findings of the previous batch that this batch is the first not to report. */
  readonly gone: ReadonlyArray<Thread>
  /** Earlier findings that this batch does not report, but that may remain because reviews are missing. */
  readonly unseen: ReadonlyArray<Thread>
  /** How many other findings of the run were gone before this batch. */
  readonly goneBefore: number
  /** How many earlier batches there are, and how many of them were not read. */
  readonly earlier: number
  readonly unread: number
  /** The records of earlier batches. */
  readonly records: ReadonlyArray<LevelRecord>
}

/** The report without secrets, for a format that leaves the machine and shows at most `most` characters of a text. */
export const withoutSecrets = (report: FindingsReport, most: number): FindingsReport => {
  const { batch, findings, gone, target } = report
  // Half a secret would not be recognised: everything beyond this limit is not shown anyway.
  const safe = (text: string): string => redact(cut(text, 2 * most))
  const safeFinding = <A extends { readonly finding: Finding }>(one: A): A => {
    const { body, path, title } = one.finding
    const finding = { ...one.finding, title: safe(title), body: safe(body), path: path === null ? null : safe(path) }
    return { ...one, finding }
  }
  const slots = batch.started.slots.map((slot) =>
    slot._tag === "Failed" ? { ...slot, message: safe(slot.message) } : slot
  )
  return {
    ...report,
    target: safe(target),
    batch: {
      ...batch,
      started: { ...batch.started, slots },
      unlisted: batch.unlisted.map((one) => ({ ...one, body: safe(one.body) }))
    },
    findings: findings.map(safeFinding).map((one) =>
      one.dismissed === null ? one : { ...one, dismissed: { ...one.dismissed, reason: safe(one.dismissed.reason) } }
    ),
    gone: gone.map(safeFinding)
  }
}

/** The numbers of the findings that each finding is related to; several findings may share a name. */
const nearby = (findings: ReadonlyArray<TrackedFinding>): ReadonlyArray<ReadonlyArray<number>> => {
  const numbers = new Map<string, Array<number>>()
  findings.forEach(({ finding: { fingerprint } }, i) => {
    const known = numbers.get(fingerprint)
    if (known === undefined) numbers.set(fingerprint, [i + 1])
    else known.push(i + 1)
  })
  return findings.map(({ finding: { related } }, i) =>
    related.slice(0, 16).flatMap((name) => numbers.get(name)?.slice(0, 16) ?? [])
      .filter((number) => number !== i + 1)
      .sort((a, b) => a - b)
  )
}

/** The gravest first, then in the order of their first report. */
const byWeight = (a: Thread, b: Thread): number => (a.finding.priority ?? 4) - (b.finding.priority ?? 4)

/** Whether two names mean one batch. */
export const sameBatch = (a: BatchName, b: BatchName): boolean => a.level === b.level && a.batch === b.batch

/** The report of the last of a run's `batches`, which are in order; `bar` decides what blocks. Null without a batch. */
export const findingsReport = (
  manifest: Pick<Manifest, "level_history" | "repo_id" | "run_id" | "strict" | "target_key" | "worktree">,
  batches: ReadonlyArray<ReviewedBatch>,
  bar: Bar = lowestBar
): FindingsReport | null => {
  const batch = batches.at(-1)
  const { chapters, threads } = findingHistory(batches)
  const chapter = chapters.at(-1)
  if (batch === undefined || chapter === undefined) return null
  const finished = slotsOf(batch.started, "Finished").map(({ slot }) => slot)
  const near = nearby(chapter.tracked)
  const here = new Set(chapter.tracked.map(({ thread }) => thread))
  const gone = new Set(chapter.gone)
  const absent = threads.flatMap((thread, i) => here.has(i) || gone.has(i) ? [] : [thread])
  return {
    run: manifest.run_id,
    repo: manifest.repo_id,
    target: manifest.target_key,
    strict: manifest.strict !== undefined,
    root: manifest.worktree,
    batch,
    findings: chapter.tracked.map((tracked, i) => ({
      ...tracked,
      ...agreement(tracked.finding, finished),
      near: near[i] ?? [],
      dismissed: dismissed(tracked.finding, bar, chapter.tracked.map(({ finding }) => finding)),
      light: weightOf(tracked.finding) > bar.block
    })),
    gone: chapter.gone.flatMap((i) => threads[i] ?? []).sort(byWeight),
    unseen: absent.filter((thread) => thread.gone === null).sort(byWeight),
    goneBefore: absent.filter((thread) => thread.gone !== null).length,
    earlier: batches.length - 1,
    unread: batches.filter(({ read }) => !read).length,
    records: manifest.level_history
  }
}

/** The result of a report. `Unknown`: no findings so far, but reviews are missing. */
export type FindingsVerdict = "None" | "Findings" | "Unknown"

/** The combined result of the batch's reviews. */
export const verdictOf = ({ batch: { started, unlisted }, findings }: FindingsReport): FindingsVerdict => {
  if (findings.length + unlisted.length > 0) return "Findings"
  return started.slots.every((slot) => slot._tag === "Finished" && slot.verdict === "Clean") ? "None" : "Unknown"
}

/** How many findings of the batch are in a state. */
export const countOf = ({ findings }: FindingsReport, state: FindingState): number =>
  findings.filter((one) => one.state === state).length
