// Finding: a defect that one or more reviewers reported, with its place and who saw it.
// The one rule: what a reviewer wrote is kept word for word; only places and priorities are interpreted.
import { Schema } from "effect"
import { Lines, Priority } from "../run/Dismissal.ts"
import { fingerprint } from "./Fingerprint.ts"
import { insideRoot, type WrittenPlace } from "./Place.ts"

export { Priority }

/** How grave a finding is, for tools with three degrees: code scanning, annotations. */
export type Severity = "error" | "warning" | "note"

/**
 * P0 and P1 are errors, P2 is a warning, P3 a note. A finding without a priority is a warning: nobody has said that
 * it weighs little, and notes are hidden by many readers.
 */
export const severityOf = ({ priority }: { readonly priority: Priority | null }): Severity =>
  priority === null || priority === 2 ? "warning" : priority === 3 ? "note" : "error"

/** A finding as it stands in one review, without the slot of that review. */
export interface Written {
  readonly title: string
  readonly body: string
  readonly priority: Priority | null
  readonly place: WrittenPlace | null
}

const content = {
  title: Schema.String,
  body: Schema.String,
  priority: Schema.NullOr(Priority),
  /** Relative to the repository's root, with `/`; null when the reviewer named none inside it. */
  path: Schema.NullOr(Schema.String),
  lines: Schema.NullOr(Lines)
}

/** One reviewer's wording of a finding. */
export const Report = Schema.Struct({ slot: Schema.Int, ...content })
export type Report = typeof Report.Type

/** A finding. Its own fields are those of the first of `reports`. */
export const Finding = Schema.Struct({
  ...content,
  detectedBy: Schema.Array(Schema.Int),
  fingerprint: Schema.String,
  reports: Schema.Array(Report),
  /** Fingerprints of neighbouring findings that count as other defects and were not merged. */
  related: Schema.Array(Schema.String)
})
export type Finding = typeof Finding.Type

/** The priority in a number, if it is one of codex's. */
export const priorityFrom = (value: unknown): Priority | null =>
  value === 0 || value === 1 || value === 2 || value === 3 ? value : null

// The text after the tag belongs to the title, but not the marks that close the tag.
const tags = [
  /^\s*(?:\*\*|__|`)?[[(]P([0-3])[\])](?:\*\*|__|`)?(?::(?=\s|$))?\s*/i,
  /^\s*\*\*P([0-3])(?:\*\*:?|:\*\*)\s*/i,
  /^\s*P([0-3])\s{0,4}[:–—-](?:\s+|$)/i
]

/** Splits a leading `[P1]` (or `**P1**`, `P1: `) off a title. */
export const splitTag = (title: string): { readonly title: string; readonly priority: Priority | null } => {
  const found = tags.map((tag) => tag.exec(title)).find((match) => match !== null)
  if (found === undefined || found === null) return { title: title.trim(), priority: null }
  return { title: title.slice(found[0].length).trim(), priority: priorityFrom(Number(found[1])) }
}

/** A finding of a slot's review as a report. Its place is made relative to `root`, or dropped when it lies outside. */
const reportOf = (written: Written, slot: number, root: string): Report => {
  const path = written.place === null ? null : insideRoot(root, written.place.path)
  return {
    slot,
    title: written.title,
    body: written.body,
    priority: written.priority,
    path,
    lines: path === null || written.place === null ? null : written.place.lines
  }
}

/** A finding seen by one slot. `slot` counts from 1; `root` is the absolute path of the worktree. */
export const findingOf = (written: Written, slot: number, root: string): Finding =>
  findingFrom(reportOf(written, slot, root), [])

/** A finding whose first report is `first`; `others` are more reports of the same defect. */
export const findingFrom = (first: Report, others: ReadonlyArray<Report>): Finding => {
  const reports = [first, ...others]
  return {
    title: first.title,
    body: first.body,
    priority: first.priority,
    path: first.path,
    lines: first.lines,
    detectedBy: [...new Set(reports.map((report) => report.slot))].sort((a, b) => a - b),
    fingerprint: fingerprint(first),
    reports,
    related: []
  }
}

/** How many of the finished reviewers reported a finding: `of` counts the slots given, each once. */
export const agreement = (
  finding: Finding,
  finished: ReadonlyArray<number>
): { readonly found: number; readonly of: number } => {
  const slots = new Set(finished)
  return { found: finding.detectedBy.filter((slot) => slots.has(slot)).length, of: slots.size }
}
