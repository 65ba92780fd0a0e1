// RunsTable: runs as a table for people and as a document for programs.
// The one rule: one line a run; what a log or a directory says cannot break it.
import { columns } from "../core/text/Columns.ts"
import { jsonText } from "../core/text/JsonText.ts"
import { span } from "../core/text/Phrases.ts"
import { spendingText } from "../runs/Spending.ts"
import type { Summary } from "./Summary.ts"

/** Which columns are of use: repository and worktree only where runs of several are listed. */
export interface Columns {
  readonly repository: boolean
  readonly worktree: boolean
}

/** Tokens have a column only where some are known. */
interface Shown extends Columns {
  readonly tokens: boolean
}

const levels = ({ floor, level }: Summary): string =>
  floor === null || level === null ? "-" : level === floor ? floor : `${floor}..${level}`

const reviews = ({ failures, reviews }: Summary): string =>
  failures === 0 ? String(reviews) : `${reviews} (+${failures} failed)`

const cells = (run: Summary, { repository, tokens, worktree }: Shown): ReadonlyArray<string> => [
  run.run,
  ...(repository ? [run.repo] : []),
  run.target,
  levels(run),
  String(run.batches),
  reviews(run),
  run.milliseconds === null ? "-" : span(run.milliseconds),
  ...(tokens ? [run.usage === undefined ? "-" : spendingText(run.usage)] : []),
  ...(worktree ? [run.worktree ?? "-"] : []),
  run.standing.text + (run.opened?.byMark === true ? ` (opened by a mark: ${run.opened.because})` : "")
]

const heading = ({ repository, tokens, worktree }: Shown): ReadonlyArray<string> => [
  "RUN",
  ...(repository ? ["REPOSITORY"] : []),
  "TARGET",
  "LEVELS",
  "BATCHES",
  "REVIEWS",
  "DURATION",
  ...(tokens ? ["TOKENS"] : []),
  ...(worktree ? ["WORKTREE"] : []),
  "OUTCOME"
]

/** The table, newest first as given, with a heading and a newline at its end. */
export const runsTable = (runs: ReadonlyArray<Summary>, which: Columns): string => {
  if (runs.length === 0) return "no runs\n"
  const shown = { ...which, tokens: runs.some(({ usage }) => usage !== undefined) }
  return columns([heading(shown), ...runs.map((run) => cells(run, shown))])
}

/** The document of `runs --json`: one line, newest first as given. */
export const runsJson = (runs: ReadonlyArray<Summary>): string =>
  `${
    jsonText({
      schema: 1,
      runs: runs.map(({ standing: { kind, text }, ...run }) => ({
        ...run,
        outcome: kind,
        outcomeText: text
      }))
    })
  }\n`
