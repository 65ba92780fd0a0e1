// Report: everything about a stored run, gathered.
import { Clock, Effect } from "effect"
import { spendingText } from "../../drive/Spending.ts"
import { convergeRun, type ConvergeState } from "../../drive/converge/State.ts"
import { planRun } from "../../drive/plan/State.ts"
import { EventLog } from "../../log/EventLog.ts"
import type { RunRef } from "../../log/Refs.ts"
import { fold as foldLog } from "../../log/Walk.ts"
import { recovered } from "../../platform/Note.ts"
import { version } from "../../platform/Version.ts"
import { findingHistory } from "../../review/findings/History.ts"
import { readHistory } from "../../review/findings/Reviews.ts"
import { type Bar, barToShow } from "../../review/findings/Waiving.ts"
import { fold } from "../../run/Manifest.ts"
import { batchesOf, reviewRun } from "../../run/ReviewRun.ts"
import type { Run } from "../../run/Run.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import { NoSuchRun } from "../../run/Owner.ts"
import type { BranchName } from "../../run/Target.ts"
import { counted, span } from "../../text/Phrases.ts"
import { NoFindings } from "../Findings.ts"
import { type StandingKind, summarise, type Summary } from "../Runs.ts"
import { audit, type AuditReport } from "../audit/Audit.ts"
import { conclusionText, levelLines, type Proof, statementText } from "../audit/Proof.ts"
import type { Word } from "../audit/ReviewRun.ts"
import { driverReader, planReader, reviewRunReader } from "../replay/Readers.ts"
import { changedByAgents, printedByTests, readEvents, timesSeen } from "./Events.ts"
import { nobody, pathPart } from "./Path.ts"
import {
  type AuditPart,
  type Fact,
  findingsPart,
  type ProofPart,
  type ReportData,
  type TurnPart,
  type Verdict
} from "./ReportData.ts"
import { answersByName, cycleParts, driverPart, roundParts, taskParts } from "./Turns.ts"
import { instant } from "./page/Markup.ts"

// What a report tells of a plan run beside its outcome: its tasks, its cycles, its log.

/** Gathers them. Fails where the log cannot be read. */
export const planParts = Effect.fn("Report.planParts")(function*(run: RunRef) {
  const { commits } = yield* (yield* EventLog).read(planRun, run)
  const state = foldLog(planRun, commits)
  if (state === null) return yield* new NoSuchRun({ reason: { _tag: "NotBegun", runId: run.runId } })
  const times = timesSeen()
  const converged: Array<Fact> = []
  const events = yield* readEvents(planReader, run, (happening) => {
    times.seen(happening)
    const { event } = happening
    if (event?._tag !== "PlanConverged") return
    converged.push({ name: "Converged", value: `by run ${event.run}: ${event.outcome}` })
  })
  const records = {
    agents: times.agents,
    tests: times.tests,
    printed: yield* printedByTests(run, state),
    diffs: yield* changedByAgents(run, state)
  }
  return {
    title: `Work on ${state.started.plan.slice(state.started.plan.lastIndexOf("/") + 1)}`,
    more: [{ name: "Plan file", value: state.started.plan }, ...converged],
    path: null,
    findings: null,
    tasks: taskParts(state),
    turns: cycleParts(state, records),
    logs: [events]
  }
})

// What a report tells of a review run beside its outcome: its way, its findings, its rounds, its logs.

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
  function*(run: RunRef, state: ConvergeState, titles: ReadonlyMap<string, string>) {
    const times = timesSeen()
    const log = yield* readEvents(driverReader, run, times.seen)
    const records = {
      agents: times.agents,
      tests: times.tests,
      printed: yield* printedByTests(run, state),
      diffs: yield* changedByAgents(run, state)
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
export const reviewParts = Effect.fn("Report.reviewParts")(function*(run: RunRef) {
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
  const work = state === null ? undriven : yield* driven(run, state, titles)
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

// Everything about one stored run, gathered for people: its way, its findings, its work, its proof, its events.
// It derives nothing by itself: replay, audit, findings and runs tell the same.

// So many words of an audit are shown.
const most = 50

const wordText = (word: Word): Verdict => {
  switch (word._tag) {
    case "Found": {
      const { kind, line, text } = word.finding
      return { tone: "bad", text: `${line === 0 ? "" : `line ${line}, `}${kind}: ${text}` }
    }
    case "Noted":
      return { tone: "neutral", text: `${word.note.line === 0 ? "" : `line ${word.note.line}, `}${word.note.text}` }
    case "Reclassified":
      return { tone: "neutral", text: `line ${word.review.recorded.line}, reclassified` }
  }
}

const auditPart = ({ events, findings, head, lines, reviews, words }: AuditReport): AuditPart => {
  // What is wrong comes before what is merely worth knowing.
  const told = [...words.filter(({ _tag }) => _tag === "Found"), ...words.filter(({ _tag }) => _tag !== "Found")]
  return {
    verdict: findings === 0
      ? { tone: "good", text: "The audit is sound." }
      : { tone: "bad", text: `The audit is NOT sound: ${counted(findings, "finding")}.` },
    checked: `${counted(lines, "line")}, ${counted(events, "event")}, ${counted(reviews, "review")}; ` +
      `head ${head.seq}:${head.hash}`,
    words: told.slice(0, most).map(wordText),
    left: Math.max(0, told.length - most)
  }
}

const proofPart = (proof: Proof): ProofPart => ({
  statement: { tone: proof.support === "borne out" ? "good" : "bad", text: statementText(proof) },
  levels: proof.levels.map((level) => ({
    level: level.level,
    tone: level.sameness === "same" ? "good" : level.clean === null || level.sameness === "changed" ? "bad" : "neutral",
    lines: levelLines(level)
  })),
  conclusion: conclusionText(proof)
})

const tones: Readonly<Record<StandingKind, Verdict["tone"]>> = {
  Running: "open",
  NextStep: "open",
  Stopped: "open",
  Failed: "bad",
  AddressBatch: "open",
  Retrospective: "open",
  TestsFailedTriage: "bad",
  FixedPoint: "good",
  PlanUnderWay: "open",
  PlanLeft: "open",
  PlanDone: "good",
  Damaged: "bad",
  Rewound: "bad",
  TooNew: "bad",
  Unreadable: "bad",
  Empty: "neutral"
}

const factsOf = (
  { batches, created, milliseconds, repo, reviews, target, updated, usage, worktree }: Summary,
  plan: boolean
): ReadonlyArray<Fact> => [
  { name: plan ? "Plan" : "Target", value: target },
  { name: "Repository", value: repo },
  ...(worktree === null ? [] : [{ name: "Worktree", value: worktree }]),
  ...(created === null ? [] : [{ name: "Began", value: instant(Date.parse(created)) }]),
  ...(updated === null ? [] : [{ name: "Last event", value: instant(Date.parse(updated)) }]),
  ...(milliseconds === null ? [] : [{ name: "Took", value: span(milliseconds) }]),
  { name: plan ? "Cycles" : "Batches", value: `${batches}, with ${counted(reviews, "review")}` },
  ...(usage === undefined ? [] : [{ name: "Tokens", value: spendingText(usage) }])
]

/** How the run stands, for the head of the page: nobody reads "fixed point" there of a run that its audit refutes. */
const headlineOf = ({ standing }: Summary, { findings }: AuditReport): Verdict =>
  findings === 0
    ? { tone: tones[standing.kind], text: standing.text }
    : { tone: "bad", text: `NOT sound; it claims: ${standing.text}` }

/**
 * Everything about a stored run, as data for a report. Only reads. Fails where a log of the run cannot be read to its
 * end.
 */
export const report = Effect.fn("Report.report")(
  function*(run: RunRef) {
    const plan = isPlanRun(run)
    const { more, ...parts } = yield* plan ? planParts(run) : reviewParts(run)
    const audited = yield* audit(run)
    const summary = yield* summarise(run)
    const made = instant(yield* Clock.currentTimeMillis)
    return {
      run: run.runId,
      verdict: headlineOf(summary, audited),
      facts: [...factsOf(summary, plan), ...more],
      proof: audited.proof === null ? null : proofPart(audited.proof),
      audit: auditPart(audited),
      ...parts,
      made: `Made at ${made} by ooda-codex-review ${version}.`
    } satisfies ReportData
  },
  Effect.catchTag(
    "ReviewFilesFailed",
    ({ message }) => Effect.fail(new NoFindings({ message }))
  )
)
