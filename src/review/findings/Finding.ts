// Finding: a defect that one or more reviewers reported, with its place and who saw it.
//
// Reviewers report one defect in different words, batch after batch, and what they write is untrusted text that ends up
// in terminals, Markdown, JSON, CI logs and code scanning. One type serves all five formats:
// - Fingerprint: 64 bits over the path and the significant words of the title (lower case, stemmed, sorted). Lines and
//   body are left out, so it survives edits above and rewording below. A renamed file makes new findings.
// - Merge: reports of different slots whose places are within three lines and whose titles share half their words;
//   without lines, the same words. The result depends on the set of reports alone. The gravest, most thorough report
//   represents the finding, all are kept, and neighbours that were kept apart name each other.
// - History: by fingerprint. Only a batch whose every slot has a review that was read makes a finding gone; otherwise
//   it is "not reported so far".
// - Levels: P0 and P1 `error`, P2 `warning`, P3 `note`. No priority is `warning`: notes are hidden by many readers.
// - SARIF: `partialFingerprints` is the fingerprint; `baselineState` is `new` (also for what came back), `unchanged` or
//   `absent`, which is suppressed too for readers without baselines. A missing review makes `executionSuccessful`
//   false.
//
// Rejected: a model that compares findings (it cannot be replayed); opening the files that findings name (untrusted).
// Two defects of one wording in one file share a fingerprint and a history; their places distinguish them.
import { Schema } from "effect"
import { Lines, Priority } from "../../run/Dismissal.ts"
import { hasHidden } from "../../text/Untrusted.ts"

const offset = 0xcbf29ce484222325n
const prime = 0x100000001b3n

/**
 * FNV-1a, 64 bits, over UTF-16 code units, as 16 hex digits. Not cryptographic, on purpose: it must be pure and cheap,
 * and it only names the findings of one run. A crafted collision merely gives two findings one name; merging never
 * relies on it alone.
 */
export const fnv1a64 = (text: string): string => {
  let hash = offset
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    hash = BigInt.asUintN(64, (hash ^ BigInt(unit & 0xff)) * prime)
    hash = BigInt.asUintN(64, (hash ^ BigInt(unit >> 8)) * prime)
  }
  return hash.toString(16).padStart(16, "0")
}

const fillers = new Set(
  ("a an and any are as at be been before by can could do does for from has have if in into is it its may might must " +
    "need needs of on or should so that the their them then there these this those to was were when where which " +
    "while will with would you").split(" ")
)

const longest = 64

// A rough stem: "handles", "handled" and "handling" become one word.
const stem = (word: string): string => {
  if (word.length < 5 || /[^a-z]/.test(word)) return word
  return word.replace(/(?:ies|ied)$/, "y").replace(/(?:ing|ed|es|s|e)$/, "")
}

/** The words that carry a title's meaning: lower case, stemmed, without tags and fillers, sorted, each once. */
export const titleWords = (title: string): ReadonlyArray<string> => {
  const text = title.slice(0, 2000).normalize("NFKC").toLowerCase().replace(/\[p\d\]/g, " ")
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = words.filter((word) => !fillers.has(word)).map((word) => stem(word.slice(0, longest)))
  return [...new Set(telling.length > 0 ? telling : words)].sort()
}

/** The name of a finding. A title without a single word falls back on the body's words. */
export const fingerprint = (finding: {
  readonly title: string
  readonly body: string
  readonly path: string | null
}): string => {
  const words = titleWords(finding.title)
  return fnv1a64(`${finding.path ?? ""}\n${(words.length > 0 ? words : titleWords(finding.body)).join(" ")}`)
}

// Places. A path that leaves the repository is not a place, so nothing downstream ever opens one.

/** A place as written by a reviewer: the path untouched, and the lines if it named any. */
export interface RawPlace {
  readonly path: string
  readonly lines: Lines | null
}

const last = 2 ** 31

/** A range from two numbers in either order; null if they cannot be line numbers. */
export const linesFrom = (start: number, end: number): Lines | null => {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return null
  const [low, high] = start <= end ? [start, end] : [end, start]
  return low < 1 || high > last ? null : { start: low, end: high }
}

const suffix = /(?::(\d{1,10})(?:[-–](\d{1,10})|:\d{1,10})?|#L(\d{1,10})(?:-L?(\d{1,10}))?)$/
const longestPlace = 4096

/** Reads `path:10-12`, `path:10`, `path:10:4`, `path#L10-L12` or a bare path; null if it is no path at all. */
export const parsePlace = (text: string): RawPlace | null => {
  if (text.length > longestPlace) return null
  const bare = text.trim().replace(/^`+/, "").replace(/(?<![`.,])[`.,]+$/, "")
  if (bare === "") return null
  const found = suffix.exec(bare)
  if (found === null) return looksLikePath(bare) ? { path: bare, lines: null } : null
  const path = bare.slice(0, found.index)
  if (path === "") return null
  const start = Number(found[1] ?? found[3])
  return { path, lines: linesFrom(start, Number(found[2] ?? found[4] ?? start)) }
}

const looksLikePath = (text: string): boolean => /[\\/]/.test(text) || /^[^\s]+\.[A-Za-z]\w{0,9}$/.test(text)

/** Writes a place the way codex does; the inverse of `parsePlace`. */
export const renderPlace = (place: RawPlace): string =>
  place.lines === null ? place.path : `${place.path}:${place.lines.start}-${place.lines.end}`

const drive = /^[A-Za-z]:(?=\/|$)/

// Splits into segments with `.` dropped and `..` applied; null if `..` climbs above the start.
const segments = (path: string): ReadonlyArray<string> | null => {
  const kept: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") kept.push(part)
    else if (kept.pop() === undefined) return null
  }
  return kept
}

const withSlashes = (path: string): string => path.trim().replace(/\\/g, "/")
const isAbsolute = (path: string): boolean => path.startsWith("/") || drive.test(path)

/**
 * The path relative to the repository's root, with `/` as separator; null if it is not inside: absolute elsewhere,
 * climbing out (`../../etc/passwd`), a home or URL form, the root itself, or with hidden characters. `root` is the
 * absolute path of the worktree. The file need not exist.
 */
export const insideRoot = (root: string, written: string): string | null => {
  if (hasHidden(written)) return null
  const path = withSlashes(written)
  if (path.startsWith("~") || /^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(path)) return null
  const inner = isAbsolute(path) ? below(withSlashes(root), path) : segments(path)
  return inner === null || inner.length === 0 ? null : inner.join("/")
}

const below = (root: string, path: string): ReadonlyArray<string> | null => {
  const outer = segments(root)
  const all = segments(path)
  if (outer === null || all === null || root.startsWith("/") !== path.startsWith("/")) return null
  const folds = drive.test(root)
  const same = (a: string, b: string | undefined) => a === b || (folds && a.toLowerCase() === b?.toLowerCase())
  return outer.every((part, i) => same(part, all[i])) ? all.slice(outer.length) : null
}

// Findings. A reviewer's text is kept word for word; only places and priorities are interpreted.

export { Priority }

/** The level of a finding for tools with three levels: code scanning, annotations. */
export type Severity = "error" | "warning" | "note"

/** P0 and P1 are errors, P2 and no priority warnings, P3 a note: many readers hide notes. */
export const severityOf = ({ priority }: { readonly priority: Priority | null }): Severity =>
  priority === null || priority === 2 ? "warning" : priority === 3 ? "note" : "error"

/** A finding of one review, without the slot of that review. */
export interface RawFinding {
  readonly title: string
  readonly body: string
  readonly priority: Priority | null
  readonly place: RawPlace | null
}

const content = {
  title: Schema.String,
  body: Schema.String,
  priority: Schema.NullOr(Priority),
  /** Relative to the repository's root, with `/`; null if the reviewer named no path inside it. */
  path: Schema.NullOr(Schema.String),
  lines: Schema.NullOr(Lines)
}

/** One reviewer's wording of a finding. */
export const Report = Schema.Struct({ slot: Schema.Int, ...content })
export type Report = typeof Report.Type

/** A finding. Its own fields are taken from the first of `reports`. */
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

/** A finding of a slot's review as a report. Its place is made relative to `root`, or dropped if it lies outside. */
const reportOf = (written: RawFinding, slot: number, root: string): Report => {
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
export const findingOf = (written: RawFinding, slot: number, root: string): Finding =>
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
