// Runs: stored runs as a table for people and as a document for programs, one line for each run.
import { Schema } from "effect"
import { Spending, spendingText, spent } from "../drive/Spending.ts"
import { Count, documentText, LogHead, RunName, runName, version } from "../run/Document.ts"
import { ResumeReason } from "../run/Event.ts"
import { Level } from "../run/Level.ts"
import { counted, span } from "../text/Phrases.ts"
import { type Page, table } from "../text/Paint.ts"
import { type Place, readerCall, unnamed } from "../run/Naming.ts"
import type { RunView } from "./Look.ts"
import { Reason, State, statusText } from "./RunStatus.ts"
import { reviewsOf } from "./RunView.ts"

/** How long a run took: from its creation to its last line, or until now while it runs; null without a line. */
export const millisecondsOf = ({ at, created, status, updated }: RunView): number | null =>
  created === null || updated === null
    ? null
    : Math.max(0, (status.state === "Running" ? Math.max(at, updated) : updated) - created)

/** A run in figures, for a document. Unknown figures are null. */
export const RunFields = Schema.Struct({
  run: RunName,
  /** The plan's file; null for a run of reviews. */
  plan: Schema.NullOr(Schema.String),
  worktree: Schema.NullOr(Schema.String),
  directory: Schema.String,
  state: State,
  reason: Reason,
  text: Schema.String,
  floor: Schema.NullOr(Level),
  level: Schema.NullOr(Level),
  batch: Schema.NullOr(Count),
  batches: Count,
  rounds: Count,
  reviews: Count,
  failures: Count,
  created: Schema.NullOr(Schema.String),
  updated: Schema.NullOr(Schema.String),
  milliseconds: Schema.NullOr(Count),
  head: LogHead,
  /** Why no run was resumed when this one began, and whether a mark opened it. */
  opened: Schema.NullOr(Schema.Struct({ because: ResumeReason, byMark: Schema.Boolean })),
  /** The known token usage. */
  usage: Schema.NullOr(Spending)
})

const instant = (at: number | null): string | null => at === null ? null : new Date(at).toISOString()

/** The figures of a run. */
export const runFields = (view: RunView): typeof RunFields.Type => {
  const { batches, created, directory, failures, head, opened, plan, ref, review, rounds, status, updated } = view
  return {
    run: runName(ref),
    plan,
    worktree: view.worktree,
    directory,
    state: status.state,
    reason: status.reason,
    text: status.text,
    floor: review?.start_level ?? null,
    level: review?.current_level ?? null,
    batch: review?.batch_number ?? null,
    batches: batches.length,
    rounds: rounds.length,
    reviews: reviewsOf(view),
    failures,
    created: instant(created),
    updated: instant(updated),
    milliseconds: millisecondsOf(view),
    head,
    opened,
    usage: spent(view.usage)
  }
}

/** The document of `runs --json`, newest first as given. */
export class RunsDocument extends Schema.Class<RunsDocument>("Runs")({
  schema: version,
  runs: Schema.Array(RunFields),
  /** How many runs of other worktrees with this repository's name are not listed. */
  elsewhere: Count
}) {}

/** The runs as one document on one line. */
export const runsJson = (runs: ReadonlyArray<RunView>, elsewhere = 0): string =>
  documentText(RunsDocument, { runs: runs.map(runFields), elsewhere })

/** The target; of a plan its file, whose key is a digest. */
const targetCell = ({ plan, ref }: RunView): string =>
  plan === null ? ref.targetKey : `plan ${plan.slice(plan.lastIndexOf("/") + 1)}`

const levels = ({ review }: RunView): string =>
  review === null
    ? "-"
    : review.current_level === review.start_level
    ? review.start_level
    : `${review.start_level}..${review.current_level}`

const reviews = (view: RunView): string =>
  view.failures === 0 ? String(reviewsOf(view)) : `${reviewsOf(view)} (+${view.failures} failed)`

const time = (milliseconds: number | null): string => milliseconds === null ? "-" : span(milliseconds)

const byMark = ({ opened }: RunView): string => opened?.byMark === true ? ` (opened by a mark: ${opened.because})` : ""

/** The columns of the table: a heading, its cells, and whether it is shown. */
const columnsOf = (runs: ReadonlyArray<RunView>, here: string | null) =>
  [
    { heading: "RUN", cell: ({ ref }: RunView) => ref.runId, shown: true },
    { heading: "REPOSITORY", cell: ({ ref }: RunView) => ref.repoId, shown: here === null },
    { heading: "TARGET", cell: targetCell, shown: true },
    { heading: "LEVELS", cell: levels, shown: true },
    { heading: "ROUNDS", cell: ({ rounds }: RunView) => String(rounds.length), shown: true },
    { heading: "REVIEWS", cell: reviews, shown: true },
    { heading: "TIME", cell: (view: RunView) => time(millisecondsOf(view)), shown: true },
    {
      heading: "TOKENS",
      cell: ({ usage }: RunView) => spent(usage) === null ? "-" : spendingText(usage),
      shown: runs.some(({ usage }) => spent(usage) !== null)
    },
    {
      heading: "WORKTREE",
      cell: (view: RunView) => view.worktree ?? "-",
      shown: here === null || runs.some(({ worktree }) => worktree !== null && worktree !== here)
    },
    { heading: "STATE", cell: (view: RunView) => statusText(view.status) + byMark(view), shown: true }
  ].filter(({ shown }) => shown)

/**
 * The table, newest first as given: what is listed in the worktree `here`, or with repositories where that is null; and
 * below it how many other runs have the repository's name.
 */
export const runsTable = (
  runs: ReadonlyArray<RunView>,
  here: string | null,
  elsewhere = 0,
  page?: Page,
  place: Place = unnamed
): string => {
  const more = elsewhere === 0
    ? ""
    : `${counted(elsewhere, "run")} of other worktrees of this name: ${
      readerCall("runs --all", { ...place, run: null })
    }\n`
  if (runs.length === 0) return `no runs\n${more}`
  const shown = columnsOf(runs, here)
  const rows = runs.map((run) => shown.map(({ cell }) => cell(run)))
  return table([shown.map(({ heading }) => heading), ...rows], page) + more
}
