// ReportData: what a report of a run tells, as plain data. The page is written from this and from nothing else.
// Texts from outside stand in it as they were written; whoever shows them escapes them.
import type { AgentState } from "../../agent/State.ts"
import type { DrivenState, TestState } from "../../drive/State.ts"
import { estimateOf, estimateText } from "../../review/findings/Estimate.ts"
import type { Finding, Report } from "../../review/findings/Finding.ts"
import { type FindingHistory, namesOf, type Thread, type TrackedFinding } from "../../review/findings/History.ts"
import { type BatchName, type ReviewedBatch, wholeFile, withoutReview } from "../../review/findings/ReviewedBatch.ts"
import { type Bar, dismissed, weightOf } from "../../review/findings/Waiving.ts"
import { dismissalText, placeText } from "../../review/findings/words.ts"
import { slotsOf } from "../../run/Batch.ts"
import type { Priority } from "../../run/Dismissal.ts"
import type { LongText } from "../../run/Event.ts"
import type { Level } from "../../run/Level.ts"
import { textName } from "../../run/LongText.ts"
import { usageText } from "../../run/Usage.ts"
import { batchName, counted } from "../../text/Phrases.ts"
import { cut } from "../../text/Untrusted.ts"
import { redact } from "../../text/redaction/Redaction.ts"
import type { PathPart } from "./Path.ts"

/** How something turned out, for its mark and its colour. */
export type Tone = "good" | "bad" | "open" | "neutral"

/** A text with its tone. */
export interface Verdict {
  readonly tone: Tone
  readonly text: string
}

/** A name and its value, both for people. */
export interface Fact {
  readonly name: string
  readonly value: string
}

/** A text that may have been cut: where the rest of it is, null where this is all. */
export interface Excerpt {
  readonly text: string
  readonly rest: string | null
}

/** What a fixed point has proven of one level. */
interface ProvenLevel {
  readonly level: Level
  readonly tone: Tone
  /** Sentences without a full stop, the most important first. */
  readonly lines: ReadonlyArray<string>
}

/** What a fixed point has proven. */
export interface ProofPart {
  readonly statement: Verdict
  readonly levels: ReadonlyArray<ProvenLevel>
  readonly conclusion: string
}

/** What an audit says of the run. `words` are its findings and notes, `left` counts those that are not shown. */
export interface AuditPart {
  readonly verdict: Verdict
  readonly checked: string
  readonly words: ReadonlyArray<Verdict>
  readonly left: number
}

/** An agent at work, or a test of the project. Times in epoch milliseconds, null where the log tells none. */
export interface WorkPart {
  readonly name: string
  readonly what: string
  readonly verdict: Verdict
  readonly from: number | null
  readonly to: number | null
  readonly facts: ReadonlyArray<Fact>
  /** What is wrong with it, a sentence each. */
  readonly problems: ReadonlyArray<string>
  /** What the agent answered, or the end of what the test printed. */
  readonly said: Excerpt | null
  readonly diff: DiffPart | null
}

/** What an agent changed: from the snapshot before it to the one after it. */
export interface DiffPart {
  readonly title: string
  readonly files: ReadonlyArray<string>
  readonly text: Excerpt
  /** Why there is no diff; null where there is one. */
  readonly problem: string | null
}

/** What an agent did about a finding. */
export interface AnswerPart {
  readonly fingerprint: string
  readonly title: string | null
  readonly answer: string
  readonly why: string
}

/** A round of a converging run, a cycle of a plan, or what was done outside of both. */
export interface TurnPart {
  readonly id: string
  readonly title: string
  readonly verdict: Verdict
  readonly facts: ReadonlyArray<Fact>
  readonly answers: ReadonlyArray<AnswerPart>
  readonly reviews: ReadonlyArray<ReviewPart>
  readonly work: ReadonlyArray<WorkPart>
}

/** A review of a plan's code. */
export interface ReviewPart {
  readonly title: string
  readonly verdict: Verdict
  readonly issues: ReadonlyArray<{ readonly severity: string; readonly place: string | null; readonly text: string }>
  readonly text: Excerpt
  readonly notes: ReadonlyArray<string>
}

/** A task of a plan, as far as the run's log names it. */
export interface TaskPart {
  readonly number: number
  readonly title: string
  readonly verdict: Verdict
}

/** The first and the last events of a log, as `replay` tells them, and how many between them are left out. */
export interface LogPart {
  /** The kind of the log. */
  readonly name: string
  readonly count: number
  readonly first: ReadonlyArray<string>
  readonly left: number
  readonly last: ReadonlyArray<string>
}

/** The whole report. */
export interface ReportData {
  readonly run: string
  readonly title: string
  readonly verdict: Verdict
  readonly facts: ReadonlyArray<Fact>
  readonly proof: ProofPart | null
  readonly audit: AuditPart
  readonly path: PathPart | null
  readonly findings: FindingsPart | null
  /** The tasks of a plan; null for other runs. */
  readonly tasks: ReadonlyArray<TaskPart> | null
  readonly turns: ReadonlyArray<TurnPart>
  readonly logs: ReadonlyArray<LogPart>
  /** When and by which version of the program this was made. */
  readonly made: string
}

// What agents and tests did in one turn of a driver, in the order in which they began.

/** When something began and ended, in epoch milliseconds; null where the log does not tell. */
export interface Times {
  readonly from: number | null
  readonly to: number | null
}

/** What a driver's work left: when agents and tests began and ended, what tests printed, what agents changed. */
export interface WorkRecords {
  readonly agents: ReadonlyMap<number, Times>
  readonly tests: ReadonlyMap<number, Times>
  /** The ends of what tests printed, by their numbers. */
  readonly printed: ReadonlyMap<number, Excerpt>
  readonly diffs: ReadonlyMap<number, DiffPart>
}

const longest = 8000
const never: Times = { from: null, to: null }

/** A text without its secrets, as far as a page shows it, and where the rest of it is. */
export const excerpt = (text: string, rest: string, most: number = longest): Excerpt => {
  const safe = redact(text)
  return safe.length <= most ? { text: safe, rest: null } : { text: cut(safe, most), rest }
}

/** A text of the log, of which the run may keep the rest in a file. */
export const excerptOf = ({ rest, text }: LongText): Excerpt => {
  const kept = rest === undefined ? "the run's log" : `${textName(rest.hex)} in the run's directory`
  const shown = excerpt(text, `the whole of it is in ${kept}`)
  return rest === undefined ? shown : { ...shown, rest: `the whole of it is in ${kept}` }
}

const agentVerdict = ({ judged, standing }: AgentState): Verdict => {
  switch (standing._tag) {
    case "Running":
      return { tone: "open", text: "is at work" }
    case "Waiting":
      return { tone: "open", text: "waits for another attempt" }
    case "Stopped":
      return { tone: "open", text: `was stopped (${standing.cause})` }
    case "Failed":
      return { tone: "bad", text: `failed: ${standing.failed.failure}` }
    case "Finished":
      if (standing.finished.ending === "Reported") return { tone: "bad", text: "reported that it failed" }
      if (judged !== null && !judged.valid) return { tone: "bad", text: "its result was no valid one" }
      // A reviewer that finds gaps has done its own work well.
      return judged?.status === "gaps" || judged?.status === "error"
        ? { tone: judged.role === "worker" ? "bad" : "neutral", text: `done, and says ${judged.status}` }
        : { tone: "good", text: "done" }
  }
}

const messageOf = ({ standing }: AgentState): LongText | null =>
  standing._tag === "Finished" ? standing.finished.message : standing._tag === "Failed" ? standing.failed.message : null

const told = (name: string, value: string | null): ReadonlyArray<Fact> => value === null ? [] : [{ name, value }]

const agentPart = (one: AgentState, records: WorkRecords): WorkPart => {
  const { agent, failures, gitChanged, judged, standing, started } = one
  const message = messageOf(one)
  const usage = standing._tag === "Finished" ? standing.finished.usage : null
  return {
    name: `Agent ${agent}`,
    what: started.taskId.slice(started.taskId.indexOf("/") + 1),
    verdict: agentVerdict(one),
    ...records.agents.get(agent) ?? never,
    facts: [
      { name: "Kind", value: `${started.kind} as ${started.role}, ${started.sandbox}` },
      ...told("Model", started.model),
      ...told("Effort", started.effort),
      ...told("Tokens", usage === null ? null : usageText(usage))
    ],
    problems: [
      ...failures.map(({ attempt, because, failure }) => `Attempt ${attempt} failed (${failure}): ${because}`),
      ...(standing._tag === "Failed" ? [`What can be done: ${standing.failed.remedy}`] : []),
      ...(judged?.problems ?? []),
      ...gitChanged.map((what) => `It changed git's own state: ${what}`)
    ],
    said: message === null ? null : excerptOf(message),
    diff: records.diffs.get(agent) ?? null
  }
}

const testVerdict = ({ standing }: TestState): Verdict => {
  if (standing._tag !== "Finished") return { tone: "open", text: standing._tag === "Running" ? "runs" : "says nothing" }
  const { exit } = standing.finished
  if (exit === 0) return { tone: "good", text: "green" }
  return { tone: "bad", text: exit === null ? "red: killed for its time" : `red: exit status ${exit}` }
}

const testPart = (one: TestState, records: WorkRecords): WorkPart => ({
  name: `Test ${one.started.test}`,
  what: one.started.command,
  verdict: testVerdict(one),
  ...records.tests.get(one.started.test) ?? never,
  facts: [],
  problems: [],
  said: records.printed.get(one.started.test) ?? null,
  diff: null
})

const began = ({ from }: WorkPart): number => from ?? Number.MAX_SAFE_INTEGER

/**
 * The work of one turn: the agents whose tasks begin with `prefix`, and the tests of its number. Tests of number 0
 * belong to no turn.
 */
export const workParts = (
  state: DrivenState,
  turn: { readonly prefix: string; readonly number: number },
  records: WorkRecords
): ReadonlyArray<WorkPart> => {
  const agents = state.agents.agents.filter(({ started }) => started.taskId.startsWith(turn.prefix))
  const tests = state.tests.filter(({ started }) => started.round === turn.number)
  return [...agents.map((one) => agentPart(one, records)), ...tests.map((one) => testPart(one, records))]
    .sort((a, b) => began(a) - began(b))
}

/** The agents and tests of a turn, counted. */
export const workText = (work: ReadonlyArray<WorkPart>): string => {
  const agents = work.filter(({ name }) => name.startsWith("Agent ")).length
  return `${counted(agents, "agent")}, ${counted(work.length - agents, "test run")}`
}

// Every finding of a run with its story: who reported it when, how agents answered, what became of it.

/** Where a finding stands: the last batch reports it, it is gone, or nobody can tell yet. */
export type FindingStand = "open" | "dismissed" | "light" | "gone" | "unseen"

/** A batch that reports a finding: what it was then, and the slots of the reviewers that named it. */
export interface Sighting {
  readonly at: BatchName
  readonly state: TrackedFinding["state"]
  readonly slots: ReadonlyArray<number>
  readonly of: number
}

/** An answer that an agent gave, in a round. */
export interface Answered {
  readonly round: number
  readonly answer: string
  readonly why: string
}

/** One finding. */
export interface FindingPart {
  readonly fingerprint: string
  readonly title: string
  readonly place: string
  readonly priority: Priority | null
  readonly stand: FindingStand
  readonly body: Excerpt
  /** The words of the other reviewers of the last batch that reported it, where they are not the same. */
  readonly wordings: ReadonlyArray<Report>
  /** How many other findings of the same batch have its name, at other places. */
  readonly twins: ReadonlyArray<string>
  readonly seen: ReadonlyArray<Sighting>
  /** The batch that no longer reported it. */
  readonly gone: BatchName | null
  readonly answers: ReadonlyArray<Answered>
  readonly dismissal: string | null
}

/** A review with issues and without a list of them. */
export interface UnlistedPart {
  readonly title: string
  readonly body: Excerpt
}

/** The findings of a run, the open ones first, the gravest first. */
export interface FindingsPart {
  readonly findings: ReadonlyArray<FindingPart>
  /** How many more a further reviewer would find, of the last batch that tells; null where none does. */
  readonly estimate: { readonly at: BatchName; readonly text: string } | null
  /** The reviews of the last batch that list no finding: only their words can be shown. */
  readonly unlisted: ReadonlyArray<UnlistedPart>
  /** What the findings do not tell, a sentence each: slots without a review, or reviews that were not read. */
  readonly notes: ReadonlyArray<string>
}

// Fewer characters of a body than are kept of one in an earlier batch: it may have been cut through a secret there.
const bounds = { body: 3500, little: 200, all: 4 * 1024 * 1024, wordings: 8, twins: 8, unlisted: 8, notes: 20 } as const

const stands: Readonly<Record<FindingStand, number>> = { open: 0, unseen: 1, light: 2, dismissed: 3, gone: 4 }

const byWeight = (a: FindingPart, b: FindingPart): number =>
  stands[a.stand] - stands[b.stand] || (a.priority ?? 0.5) - (b.priority ?? 0.5)

/** For each thread the batches that report it, in order. */
const sightingsOf = (
  { chapters, threads }: FindingHistory,
  batches: ReadonlyArray<ReviewedBatch>
): ReadonlyArray<ReadonlyArray<Sighting>> => {
  const all = threads.map((): Array<Sighting> => [])
  for (const [i, { at, tracked }] of chapters.entries()) {
    const started = batches[i]?.started
    const of = started === undefined ? 0 : slotsOf(started, "Finished").length
    const here = new Set<number>()
    for (const { finding, state, thread } of tracked) {
      if (here.has(thread)) continue
      here.add(thread)
      all[thread]?.push({ at, state, slots: finding.detectedBy, of })
    }
  }
  return all
}

const standOf = ({ finding, gone }: Thread, reported: boolean, bar: Bar, isDismissed: boolean): FindingStand => {
  if (gone !== null) return "gone"
  if (isDismissed) return "dismissed"
  if (weightOf(finding) > bar.block) return "light"
  return reported ? "open" : "unseen"
}

/** A place whose path is cut only once no secret is left in it. */
const safely = ({ lines, path }: Pick<Report, "path" | "lines">) => ({
  lines,
  path: path === null ? null : redact(path)
})

/** What other reviewers said in words of their own, each once. */
const wordingsOf = ({ reports }: Finding): ReadonlyArray<Report> => {
  const same = (a: Report, b: Report) => a.title === b.title && a.body === b.body
  const own = reports.filter((one, i) => reports.findIndex((other) => same(one, other)) === i)
  return own.slice(1, 1 + bounds.wordings)
}

/** A body as far as the page has room for it. */
const bodyOf = (body: string, left: number): Excerpt =>
  excerpt(body, "`ooda-codex-review findings --json` has the whole text", left > 0 ? bounds.body : bounds.little)

const unlistedOf = (batch: ReviewedBatch): ReadonlyArray<UnlistedPart> =>
  batch.unlisted.slice(0, bounds.unlisted).map(({ body, slot }) => ({
    title: `Slot ${slot} of ${batchName(batch)} has issues without a list of findings`,
    body: excerpt(body, `the whole of it is in ${wholeFile(batch, slot)}`, bounds.body)
  }))

const notesOf = (batches: ReadonlyArray<ReviewedBatch>): ReadonlyArray<string> => {
  const unread = batches.filter(({ read }) => !read).length
  const dropped = batches.reduce((sum, one) => sum + one.dropped, 0)
  const last = batches.at(-1)
  const all = [
    ...(last === undefined ? [] : withoutReview(last.started)).map(({ slot, why }) =>
      `Slot ${slot} of the last batch has no review: ${why}`
    ),
    ...(unread === 0 ? [] : [`The reviews of ${counted(unread, "earlier batch", "earlier batches")} were not read.`]),
    ...(dropped === 0 ? [] : [`${counted(dropped, "further finding")} were left out; \`findings --json\` has them.`])
  ]
  const left = all.length - bounds.notes
  return left > 0 ? [...all.slice(0, bounds.notes), `${counted(left, "further note")} left out.`] : all
}

/** The estimate of the last batch that reports findings, where it allows one. */
const estimated = (batches: ReadonlyArray<ReviewedBatch>): FindingsPart["estimate"] => {
  const last = batches.findLast(({ findings }) => findings.length > 0)
  const text = last === undefined ? null : estimateText(estimateOf(last))
  return last === undefined || text === null ? null : { at: { level: last.level, batch: last.batch }, text }
}

/** The findings that the batches of a run report. `answers` are what agents said, by the names of findings. */
export const findingsPart = (
  history: FindingHistory,
  batches: ReadonlyArray<ReviewedBatch>,
  bar: Bar,
  answers: ReadonlyMap<string, ReadonlyArray<Answered>>
): FindingsPart => {
  const seen = sightingsOf(history, batches)
  const last = batches.at(-1)
  const findingsOf = new Map(batches.map((one) => [batchName(one), one.findings]))
  let left: number = bounds.all
  const findings = history.threads.map((thread, i): FindingPart => {
    const { finding, gone, others } = thread
    const sightings = seen[i] ?? []
    const at = sightings.at(-1)?.at
    const waiver = dismissed(finding, bar, at === undefined ? [] : findingsOf.get(batchName(at)) ?? [])
    const body = bodyOf(finding.body, left)
    left -= body.text.length
    const reported = last !== undefined && at !== undefined && batchName(at) === batchName(last)
    return {
      fingerprint: finding.fingerprint,
      title: finding.title,
      place: placeText(safely(finding)),
      priority: finding.priority,
      stand: standOf(thread, reported, bar, waiver !== null),
      body,
      wordings: left > 0 ? wordingsOf(finding) : [],
      twins: others.slice(0, bounds.twins).map((other) => placeText(safely(other))),
      seen: sightings,
      gone,
      answers: namesOf(finding).flatMap((name) => answers.get(name) ?? []),
      dismissal: waiver === null ? null : dismissalText({ ...waiver, reason: redact(waiver.reason) })
    }
  })
  return {
    findings: findings.sort(byWeight),
    estimate: estimated(batches),
    unlisted: last === undefined ? [] : unlistedOf(last),
    notes: notesOf(batches)
  }
}
