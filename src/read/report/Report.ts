// Report: everything about one stored run, gathered for people: its way, its findings, its work, its proof, its events.
// It derives nothing by itself: `RunView`, replay, audit and findings say the same.
import { Effect } from "effect"
import { spendingText, spent } from "../../drive/Spending.ts"
import { version } from "../../platform/Version.ts"
import type { RunRef } from "../../log/Refs.ts"
import { CallPlace, readerCall } from "../../run/Naming.ts"
import { NoSuchRun } from "../../run/Owner.ts"
import { counted, span } from "../../text/Phrases.ts"
import { NoFindings } from "../Findings.ts"
import { look, type RunView } from "../Look.ts"
import { findingsPart, readRun } from "../RunFindings.ts"
import { type RunStatus, statusText } from "../RunStatus.ts"
import { reviewsOf } from "../RunView.ts"
import { millisecondsOf } from "../Runs.ts"
import { audit, type AuditReport } from "../audit/Audit.ts"
import { conclusionText, levelLines, type Proof, statementText } from "../audit/Proof.ts"
import type { Word } from "../audit/ReviewRun.ts"
import { changedByAgents, printedByTests, readLogs } from "./Events.ts"
import { pathPart } from "./Path.ts"
import type { AuditPart, Fact, ProofPart, ReportData, Verdict } from "./ReportData.ts"
import { taskParts, turnParts } from "./Turns.ts"
import { instant } from "./page/Markup.ts"

// The most findings and notes of an audit that are shown.
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

const auditPart = ({ events, findings, head, lines, reviews, words }: AuditReport, call: string): AuditPart => {
  // Findings come before notes.
  const sorted = [...words.filter(({ _tag }) => _tag === "Found"), ...words.filter(({ _tag }) => _tag !== "Found")]
  return {
    verdict: findings === 0
      ? { tone: "good", text: "The audit is sound." }
      : { tone: "bad", text: `The audit is NOT sound: ${counted(findings, "finding")}.` },
    checked: `${counted(lines, "line")}, ${counted(events, "event")}, ${counted(reviews, "review")}; ` +
      `head ${head.seq}:${head.hash}`,
    words: sorted.slice(0, most).map(wordText),
    left: Math.max(0, sorted.length - most),
    call
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

const tones: Readonly<Record<RunStatus["state"], Verdict["tone"]>> = {
  Running: "open",
  Interrupted: "open",
  NeedsYou: "open",
  Done: "good",
  Unreadable: "bad",
  Empty: "neutral"
}

const timeFact = (name: string, at: number | null): ReadonlyArray<Fact> =>
  at === null ? [] : [{ name, value: instant(at) }]

const factsOf = (view: RunView): ReadonlyArray<Fact> => {
  const { batches, converged, created, plan, ref, rounds, updated, usage, worktree } = view
  const milliseconds = millisecondsOf(view)
  return [
    { name: "Target", value: ref.targetKey },
    ...(plan === null ? [] : [{ name: "Plan", value: plan }]),
    { name: "Repository", value: ref.repoId },
    ...(worktree === null ? [] : [{ name: "Worktree", value: worktree }]),
    ...timeFact("Began", created),
    ...timeFact("Last event", updated),
    ...(milliseconds === null ? [] : [{ name: "Took", value: span(milliseconds) }]),
    ...(batches.length === 0 ? [] : [{ name: "Batches", value: String(batches.length) }]),
    { name: "Reviews", value: String(reviewsOf(view)) },
    ...(rounds.length === 0 ? [] : [{ name: "Rounds", value: String(rounds.length) }]),
    ...(spent(usage) === null ? [] : [{ name: "Tokens", value: spendingText(usage) }]),
    ...converged.map(({ outcome, run }) => ({ name: "Converged", value: `by run ${run}: ${outcome}` }))
  ]
}

/** The status of the run, for the head of the page: never "done" if its audit refutes it. */
const headlineOf = ({ status }: RunView, { findings }: AuditReport): Verdict =>
  findings === 0
    ? { tone: status.state === "NeedsYou" && isFailure(status) ? "bad" : tones[status.state], text: statusText(status) }
    : { tone: "bad", text: `NOT sound; it claims: ${statusText(status)}` }

// A run that waits for an answer is as open as a running one.
const isFailure = ({ reason }: RunStatus): boolean => reason !== "AddressBatch" && reason !== "Retrospective"

const titleOf = ({ plan, ref }: RunView): string =>
  plan === null ? `Review of ${ref.targetKey}` : `Work on ${plan.slice(plan.lastIndexOf("/") + 1)}`

// The most bytes of reviews that are read: a report is not made as often as a table of findings.
const budget = 512 * 1024 * 1024

/** Everything about a stored run, as data for a report. Only reads. Fails if its log cannot be read to its end. */
export const report = Effect.fn("Report.report")(
  function*(run: RunRef) {
    const view = yield* look(run)
    const { drive, unread } = view
    if (unread !== null) return yield* unread
    if (view.created === null) return yield* new NoSuchRun({ reason: { _tag: "NotBegun", runId: run.runId } })
    const read = yield* readRun(view, { budget })
    const findings = read === null ? null : findingsPart(read, view.rounds)
    const titles = new Map(findings?.findings.map(({ fingerprint, title }) => [fingerprint, title]))
    const records = drive === null
      ? { printed: new Map(), diffs: new Map() }
      : { printed: yield* printedByTests(run, drive), diffs: yield* changedByAgents(run, drive) }
    const audited = yield* audit(run)
    const place = yield* CallPlace
    const call = (word: string): string => readerCall(`${word} ${run.runId}`, { ...place, run: null })
    return {
      run: run.runId,
      title: titleOf(view),
      verdict: headlineOf(view, audited),
      facts: factsOf(view),
      proof: audited.proof === null ? null : proofPart(audited.proof),
      audit: auditPart(audited, call("audit")),
      path: read === null ? null : pathPart(view, read),
      findings,
      tasks: view.plan === null ? null : taskParts(view.rounds),
      turns: turnParts(view, records, titles),
      logs: yield* readLogs(view),
      replay: call("replay"),
      made: `Made at ${instant(view.at)} by ooda-codex-review ${version}.`
    } satisfies ReportData
  },
  Effect.catchTag(
    "ReviewFilesFailed",
    ({ message }) => Effect.fail(new NoFindings({ message }))
  )
)
