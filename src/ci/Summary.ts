// Summary: what a job says about a review: the outputs of the step, its summary, the comment on the pull request.
// Secrets are removed. What strangers wrote is fenced: it mentions no account, renders nothing and links nowhere.
import { namesOf } from "../review/findings/History.ts"
import { inOnePlace } from "../review/findings/Merge.ts"
import { type FindingsReport, type ReportedFinding, withoutSecrets } from "../review/findings/Report.ts"
import { withoutReview } from "../review/findings/ReviewedBatch.ts"
import { weightOf } from "../review/findings/Waiving.ts"
import { dismissalText, lineOf } from "../review/findings/words.ts"
import { batchName, counted } from "../text/Phrases.ts"
import { redact } from "../text/redaction/Redaction.ts"
import { brief, excerpt, fence, oneLine } from "../text/Untrusted.ts"
import { openFindings, type PathStep } from "./Review.ts"

/** A text without commands to the runner. */
export const harmless = (text: string): string =>
  // Carriage returns are removed first: removed later, they could join two halves of a command.
  text.replace(/\r/g, "").replace(/##\[/g, "## [").replace(/^([^\S\n]*)::/gm, "$1: :")

/** Outputs of a step, a line each; a value is one line. */
export const outputLines = (values: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(values).map(([name, value]) => `${name}=${oneLine(String(value))}\n`).join("")

/** Whether the report of one finding covers another one. */
const says = (one: ReportedFinding, { dismissed, finding }: ReportedFinding): boolean =>
  weightOf(one.finding) <= weightOf(finding) && (one.dismissed === null || dismissed !== null) &&
  one.finding.reports.some((a) => finding.reports.some((b) => inOnePlace(a, b)))

/** The reports without findings that an earlier report already has, under any of their names. */
export const withoutRepeats = (reports: ReadonlyArray<FindingsReport>): ReadonlyArray<FindingsReport> => {
  const earlier = new Map<string, Array<ReportedFinding>>()
  return reports.map((report) => {
    const findings = report.findings.filter((one) =>
      !namesOf(one.finding).some((name) => earlier.get(name)?.some((before) => says(before, one)))
    )
    for (const one of findings) {
      for (const name of namesOf(one.finding)) earlier.set(name, [...earlier.get(name) ?? [], one])
    }
    return { ...report, findings }
  })
}

/** What was done and found. `said` is the header of the outcome; `notes` are this program's own words. */
export interface JobReport {
  readonly mode: "review" | "converge"
  readonly said: string
  readonly isDone: boolean
  /** What was reviewed: an old comment that could not be replaced must not seem to be about later code. */
  readonly code: ReadonlyArray<string>
  readonly path: ReadonlyArray<PathStep>
  readonly reports: ReadonlyArray<FindingsReport>
  readonly notes: ReadonlyArray<string>
}

/** The first line of the comment, by which it is found again. */
export const marker = "<!-- ooda-codex-review -->"

// GitHub takes comments of 65,536 characters and summaries of 1 MiB; a character may take four bytes.
const bounds = { comment: 60_000, summary: 240_000, body: 1500 } as const

const headline = ({ isDone, mode, reports }: JobReport): string => {
  const count = openFindings(reports)
  const what = count === 0 ? "no findings" : counted(count, "finding")
  if (!isDone) return `Codex ${mode}: **not finished**, ${what} so far`
  return `Codex ${mode}: **${what}**`
}

const linesOf = ({ batch, findings }: FindingsReport): ReadonlyArray<string> => [
  ...findings.flatMap(({ dismissed, finding, found, of }) => [
    lineOf(finding),
    `    reported by ${found} of ${of} at ${batchName(batch)}`,
    ...(dismissed === null ? [] : [`    ${dismissalText(dismissed)}`]),
    ...excerpt(finding.body, bounds.body).lines.map((line) => `    ${line}`),
    ""
  ]),
  ...batch.unlisted.flatMap(({ body, slot }) => [
    `slot ${slot} of ${batchName(batch)}: issues without a list of findings`,
    ...excerpt(body, bounds.body).lines.map((line) => `    ${line}`),
    ""
  ]),
  ...withoutReview(batch.started).map(({ slot, why }) =>
    `slot ${slot} of ${batchName(batch)} has no review: ${brief(why, 600)}`
  )
]

/** As many lines as fit, and a line that says how many do not. */
const within = (lines: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  let left = most
  const kept = lines.findIndex((line) => (left -= line.length + 3) < 0)
  return kept < 0 ? lines : [...lines.slice(0, kept), `${lines.length - kept} more lines are left out for length`]
}

// A longer path shows its last batches.
const mostBatches = 60

const pathTable = (path: ReadonlyArray<PathStep>): ReadonlyArray<string> => {
  if (path.length === 0) return []
  const skipped = Math.max(0, path.length - mostBatches)
  const rows = path.slice(skipped).map(({ level, verdict }, i) => `| ${skipped + i + 1} | ${level} | ${verdict} |`)
  return ["| batch | level | verdict |", "|---|---|---|", ...rows, ""]
}

const document = (job: JobReport, most: number): string => {
  const { code, notes, path, reports, said } = job
  const lines = within(reports.flatMap((report) => linesOf(withoutSecrets(report, bounds.body))), most)
  return [
    headline(job),
    "",
    fence([
      brief(redact(said), 1000),
      ...code.map((one) => `reviewed: ${brief(redact(one), 1000)}`)
    ]),
    "",
    ...pathTable(path),
    ...(lines.length === 0
      ? []
      : ["What reviewers wrote, to be verified before anybody acts on it:", "", fence(lines), ""]),
    ...notes.flatMap((note) => [note, ""])
  ].join("\n")
}

/** The comment. */
export const commentText = (job: JobReport): string => `${marker}\n${document(job, bounds.comment - 6000)}`

/** The summary of the job. */
export const summaryText = (job: JobReport): string => `## ${document(job, bounds.summary)}\n`
