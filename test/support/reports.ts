// reports: reports for tests, with every part that a report can have, made of the words that a test gives.
import type { BatchPart } from "../../src/read/report/Path.ts"
import type { ReportData, TurnPart, Verdict } from "../../src/read/report/ReportData.ts"
import type { FindingPart, FindingState } from "../../src/read/RunFindings.ts"
import type { BatchVerdict, Step } from "../../src/read/RunView.ts"
import { levels } from "../../src/run/Level.ts"

const used = { input: 12_000, cached: 0, output: 800, reasoning: 0 }
const begins = Date.UTC(2030, 0, 1)
const verdicts: ReadonlyArray<BatchVerdict> = ["Issues", "Clean", "Waived", "Failed", "Unfinished"]
const steps: ReadonlyArray<Step> = ["Began", "Climbed", "Dropped", "Stayed", "Restarted"]
const states: ReadonlyArray<FindingState> = ["open", "unseen", "light", "dismissed", "gone"]

/** The nth batch of a run, counted from 0. */
export const batchPart = (n: number, fields: Partial<BatchPart> = {}): BatchPart => ({
  level: levels[n % 4] ?? "low",
  batch: Math.floor(n / 4) + 1,
  verdict: verdicts[n % 5] ?? "Clean",
  step: steps[n % 5] ?? "Began",
  reviews: 3,
  withIssues: n % 4,
  size: 3,
  from: begins + n * 60_000,
  to: begins + n * 60_000 + 45_000,
  used,
  rounds: n % 5 === 0 ? [n + 1] : [],
  counts: n % 7 === 6 ? null : {
    open: n % 5,
    new: n % 3 === 0 ? 0 : Math.min(n % 5, 1),
    gone: n % 3,
    unreported: n % 2 === 0 ? null : { more: n, low: 0, high: 2 * n }
  },
  ...fields
})

/** The nth finding of a run; all that strangers wrote of it is `said`. */
export const findingPart = (n: number, said: string, fields: Partial<FindingPart> = {}): FindingPart => ({
  at: n,
  fingerprint: n.toString(16).padStart(16, "0"),
  title: said,
  place: said,
  priority: n % 5 === 4 ? null : n % 5 === 0 ? 0 : n % 5 === 1 ? 1 : n % 5 === 2 ? 2 : 3,
  state: states[n % 5] ?? "open",
  body: { text: said, rest: n % 2 === 0 ? null : said },
  wordings: [{ slot: 2, title: said, body: said, priority: 1, path: said, lines: null }],
  twins: [said],
  seen: [{ at: { level: "low", batch: 1 }, state: "new", slots: [1, 2], of: 3 }],
  gone: n % 5 === 4 ? { level: "low", batch: 2 } : null,
  answers: [{ round: 1, answer: "fixed", why: said, undone: false }],
  dismissal: n % 5 === 3 ? said : null,
  ...fields
})

const verdictOf = (text: string): Verdict => ({ tone: "bad", text })

/** A round or a cycle full of `said`. */
export const turnPart = (n: number, said: string): TurnPart => ({
  id: `round-${n}`,
  title: said,
  verdict: verdictOf(said),
  facts: [{ name: said, value: said }],
  answers: [{ fingerprint: said, title: said, answer: said, why: said }],
  reviews: [{
    title: said,
    verdict: verdictOf(said),
    issues: [{ severity: said, place: said, text: said }],
    text: { text: said, rest: said },
    notes: [said]
  }],
  work: [
    {
      name: "Agent 1",
      what: said,
      verdict: verdictOf(said),
      from: begins,
      to: begins + 5000,
      facts: [{ name: said, value: said }],
      problems: [said],
      said: { text: said, rest: said },
      diff: { title: said, files: [said], text: { text: `+${said}\n-${said}\n ${said}`, rest: said }, problem: null }
    },
    {
      name: "Test 1",
      what: said,
      verdict: verdictOf(said),
      from: null,
      to: null,
      facts: [],
      problems: [],
      said: null,
      diff: { title: said, files: [], text: { text: "", rest: null }, problem: said }
    }
  ]
})

const estimate = {
  at: { level: "low", batch: 1 },
  text: "7 found by 3 reviewers, about 2 more expected, 0 to 6"
} as const

/** A report with one of everything. These are the words wherever a stranger's words can appear. */
export const reportOf = (said: string, fields: Partial<ReportData> = {}): ReportData => {
  const batches = [0, 1, 2, 3, 4].map((n) => batchPart(n))
  return {
    run: "20300101T000001Z-000000001-p1",
    title: said,
    verdict: verdictOf(said),
    facts: [{ name: said, value: said }],
    proof: {
      statement: verdictOf(said),
      levels: [{ level: "low", tone: "good", lines: [said, said, said] }],
      conclusion: said
    },
    audit: { verdict: verdictOf(said), checked: said, words: [verdictOf(said)], left: 2, call: said },
    path: { batches, levels: [{ level: "low", batches: 5, reviews: 15, millis: 225_000, used }], agents: used },
    findings: {
      findings: [0, 1, 2, 3, 4].map((n) => findingPart(n, said)),
      estimate,
      unlisted: [{ title: said, body: { text: said, rest: said } }],
      notes: [said]
    },
    tasks: [{ number: 0, title: said, verdict: verdictOf(said) }],
    turns: [turnPart(1, said)],
    logs: [{ name: "review", count: 12, first: [said], left: 10, last: [said] }],
    replay: said,
    made: said,
    ...fields
  }
}

const nouns = ["cache", "session", "parser", "queue", "token", "cursor", "buffer", "index"]

/** A report of the size that must still open at once: so many batches, and so many findings. */
export const largeReport = (batches: number, findings: number): ReportData => {
  const many = Array.from({ length: batches }, (_, n) => batchPart(n))
  const body = "The loop reads one element past the end of the list, so that the sum is not a number.\n".repeat(3)
  return reportOf("Words of a reviewer.", {
    path: { batches: many, levels: [], agents: used },
    findings: {
      findings: Array.from(
        { length: findings },
        (_, n) =>
          findingPart(n, `Guard the ${nouns[n % 8] ?? ""} ${n} before it is used`, {
            place: `src/part${n % 97}/file${n % 31}.ts:${n % 400}`,
            body: { text: body, rest: null },
            wordings: [],
            twins: []
          })
      ),
      estimate: null,
      unlisted: [],
      notes: []
    }
  })
}
