// Report: everything about one stored run, gathered for people: its way, its findings, its work, its proof, its events.
// It derives nothing by itself: replay, audit, findings and runs tell the same.
import { Clock, Effect } from "effect"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import { instant } from "../core/report/page/Parts.ts"
import type { AuditPart, Fact, ProofPart, ReportData, Verdict } from "../core/report/ReportData.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { version } from "../core/Version.ts"
import { counted, span } from "../core/text/Phrases.ts"
import { audit, type AuditReport } from "../history/Audit.ts"
import { NoFindings } from "../history/Findings.ts"
import type { Proof } from "../history/Proof.ts"
import { conclusionText, levelLines, statementText } from "../history/ProofText.ts"
import type { Word } from "../history/ReviewRunAuditor.ts"
import { summarise, type Summary } from "../history/Summary.ts"
import type { StandingKind } from "../history/Standing.ts"
import { spendingText } from "../runs/Spending.ts"
import { planParts } from "./PlanParts.ts"
import { reviewParts } from "./ReviewParts.ts"

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
    (error) => Effect.fail(new NoFindings({ reason: { _tag: "Unreadable", error } }))
  )
)
