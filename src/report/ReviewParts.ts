// ReviewParts: what a report tells of a review run beside its outcome: its way, its findings, its rounds, its logs.
import { Clock, Effect } from "effect"
import { findingHistory } from "../core/findings/FindingHistory.ts"
import { convergeRun, type ConvergeState } from "../core/converge/ConvergeRun.ts"
import { fold as foldLog } from "../core/log/Walk.ts"
import { findingsPart } from "../core/report/FindingsPart.ts"
import { nobody, pathPart } from "../core/report/PathPart.ts"
import { answersByName, driverPart, roundParts } from "../core/report/RoundParts.ts"
import type { TurnPart } from "../core/report/ReportData.ts"
import { fold, type Manifest } from "../core/run/Manifest.ts"
import type { Bar } from "../core/findings/Waiving.ts"
import type { BranchName } from "../core/run/Target.ts"
import { batchesOf } from "../core/run/PastBatches.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { driverReader } from "../history/DriverReader.ts"
import { reviewRunReader } from "../history/ReviewRunReader.ts"
import { barToShow } from "../runs/Bar.ts"
import { NoSuchRun } from "../runs/NoSuchRun.ts"
import type { Run } from "../runs/Run.ts"
import { recovered } from "../services/Note.ts"
import { readHistory } from "../runs/ReadReviews.ts"
import { EventLog } from "../services/EventLog.ts"
import { changedByAgents, printedByTests } from "./Artifacts.ts"
import { readEvents, timesSeen } from "./Events.ts"

// Bytes of reviews that are read at most: a report is not asked for again and again, as findings are.
const budget = 512 * 1024 * 1024

/** The stream of the driver, or null where nobody has driven the run. */
const driverOf = Effect.fnUntraced(
  function*(run: RunRef) {
    const { commits } = yield* (yield* EventLog).read(convergeRun, run)
    return foldLog(convergeRun, commits)
  },
  Effect.catchTag("LogMissing", () => Effect.succeed(null))
)

/** The rounds of a driver, with what lies beside its log, and its log. */
const driven = Effect.fnUntraced(
  function*(run: RunRef, { worktree }: Manifest, state: ConvergeState, titles: ReadonlyMap<string, string>) {
    const times = timesSeen()
    const log = yield* readEvents(driverReader, run, times.seen)
    const records = {
      agents: times.agents,
      tests: times.tests,
      printed: yield* printedByTests(run, state),
      diffs: yield* changedByAgents(run, worktree, state)
    }
    return { turns: roundParts(state, records, titles), logs: [log] }
  }
)

const undriven: { readonly turns: ReadonlyArray<TurnPart>; readonly logs: [] } = { turns: [], logs: [] }

/** The bar that findings are judged by. If the repository is gone, only the run's dismissals count, as a note says. */
const barOf = Effect.fnUntraced(function*(run: Run, base: BranchName | null) {
  const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
  return yield* barToShow(run, { block: null, trustFrom: null }, base).pipe(
    Effect.map((bar) => ({ bar, notes: [] })),
    Effect.catch((error) =>
      Effect.as(recovered("the repository's dismissals are left out of the report")(error), {
        bar: { block: 3, dismissals: run.manifest.dismissed ?? [], today } satisfies Bar,
        notes: [`The repository's dismissals cannot be read: ${error.message}`]
      })
    )
  )
})

/** Gathers them. Fails where a log cannot be read. */
export const reviewParts = Effect.fn("ReviewParts.reviewParts")(function*(run: RunRef) {
  const { commits, head } = yield* (yield* EventLog).read(reviewRun, run)
  const manifest = fold(commits)
  if (manifest === null) return yield* new NoSuchRun({ reason: { _tag: "NotBegun", runId: run.runId } })
  const opened = { ref: run, manifest, head }
  const { batches } = yield* readHistory(opened, { budget })
  const base = batchesOf(commits).at(-1)?.batch.base ?? null
  const { bar, notes } = yield* barOf(opened, base)
  const state = yield* driverOf(run)
  const history = findingHistory(batches)
  const answers = state === null ? new Map<string, never>() : answersByName(state)
  const told = findingsPart(history, batches, bar, answers)
  const findings = { ...told, notes: [...notes, ...told.notes] }
  const titles = new Map(findings.findings.map(({ fingerprint, title }) => [fingerprint, title]))
  const work = state === null ? undriven : yield* driven(run, manifest, state, titles)
  const log = yield* readEvents(reviewRunReader, run)
  return {
    title: `Review of ${manifest.target_key}`,
    more: [],
    path: pathPart(commits, history, batches, state === null ? nobody : driverPart(state)),
    findings,
    tasks: null,
    turns: work.turns,
    logs: [log, ...work.logs]
  }
})
