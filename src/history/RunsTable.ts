// RunsTable: runs as a table for people and as a document for programs.
// The one rule: one line a run; what a log or a directory says cannot break it.
import { oneLine } from "../core/text/Text.ts"
import type { Summary } from "./Summary.ts"
import { span } from "./Words.ts"

/** Which columns are of use: the repository only where runs of several are listed. */
export interface Columns {
  readonly repository: boolean
}

const levels = ({ floor, level }: Summary): string =>
  floor === null || level === null ? "-" : level === floor ? floor : `${floor}..${level}`

const reviews = ({ failures, reviews }: Summary): string =>
  failures === 0 ? String(reviews) : `${reviews} (+${failures} failed)`

const cells = (run: Summary, { repository }: Columns): ReadonlyArray<string> => [
  run.run,
  ...(repository ? [oneLine(run.repo)] : []),
  oneLine(run.target),
  levels(run),
  String(run.batches),
  reviews(run),
  run.milliseconds === null ? "-" : span(run.milliseconds),
  oneLine(run.standing.text)
]

const heading = ({ repository }: Columns): ReadonlyArray<string> => [
  "RUN",
  ...(repository ? ["REPOSITORY"] : []),
  "TARGET",
  "LEVELS",
  "BATCHES",
  "REVIEWS",
  "DURATION",
  "OUTCOME"
]

/** The table, newest first as given, with a heading and a newline at its end. */
export const runsTable = (runs: ReadonlyArray<Summary>, columns: Columns): string => {
  if (runs.length === 0) return "no runs\n"
  const rows = [heading(columns), ...runs.map((run) => cells(run, columns))]
  const widths = rows.reduce<ReadonlyArray<number>>(
    (most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)),
    []
  )
  return rows.map((row) => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd()}\n`).join("")
}

/** The document of `runs --json`: one line, newest first as given. */
export const runsJson = (runs: ReadonlyArray<Summary>): string =>
  `${JSON.stringify({ schema: 1, runs: runs.map(({ standing: { kind, text }, ...run }) => ({
    ...run,
    outcome: kind,
    outcomeText: text
  })) })}\n`
