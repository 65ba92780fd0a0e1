// RunFindings: every finding of a run with its history: who reported it when, what agents answered, how it ended.
// Read from the files of the reviews; the log alone says which reviews exist.
import { Clock, Effect } from "effect"
import { answerWord } from "./words.ts"
import { type Naming, readerCall, unnamed } from "../run/Naming.ts"
import { recovered } from "../platform/Note.ts"
import { estimateOf, estimateText } from "../review/findings/Estimate.ts"
import type { Finding, Report } from "../review/findings/Finding.ts"
import {
  findingHistory,
  type FindingHistory,
  namesOf,
  type Thread,
  type TrackedFinding
} from "../review/findings/History.ts"
import { type BatchName, type ReviewedBatch, wholeFile, withoutReview } from "../review/findings/ReviewedBatch.ts"
import { readBatches, type ReadOptions } from "../review/findings/Reviews.ts"
import { type Bar, barToShow, dismissed, noBar, weightOf } from "../review/findings/Waiving.ts"
import { dismissalText, placeText } from "../review/findings/words.ts"
import { slotsOf } from "../run/Batch.ts"
import type { Priority } from "../run/Dismissal.ts"
import type { Run } from "../run/Run.ts"
import { batchName, counted } from "../text/Phrases.ts"
import { redact } from "../text/redaction/Redaction.ts"
import { type Excerpt, excerpt } from "./Excerpt.ts"
import type { RoundView, RunFacts } from "./RunView.ts"

/** The run of a view, for reading its reviews; null if it has no reviews of its own. */
export const runOf = ({ head, records, ref, review }: RunFacts): Run | null =>
  review === null ? null : { ref, head, manifest: { ...review, level_history: records } }

/** The reviews of a run, and the bar that their findings are judged by. */
export interface ReadRun {
  readonly batches: ReadonlyArray<ReviewedBatch>
  readonly history: FindingHistory
  readonly bar: Bar
  /** Why the bar lacks the repository's dismissals; empty if it does not. */
  readonly notes: ReadonlyArray<string>
}

/** Reads the reviews of a run; null if it has none of its own. Fails if the last batch cannot be read. */
export const readRun = Effect.fn("RunFindings.readRun")(function*(facts: RunFacts, options: ReadOptions = {}) {
  const run = runOf(facts)
  if (run === null) return null
  const batches = yield* readBatches(run, facts.batches, options)
  const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
  const base = facts.batches.at(-1)?.started.base ?? null
  const { bar, notes } = yield* barToShow(run, noBar, base).pipe(
    Effect.map((bar) => ({ bar, notes: [] })),
    Effect.catch((error) =>
      Effect.as(recovered("the repository's dismissals are left out")(error), {
        bar: { block: 3, dismissals: run.manifest.dismissed ?? [], today } satisfies Bar,
        notes: [`the repository's dismissals cannot be read: ${error.message}`]
      })
    )
  )
  return { batches, history: findingHistory(batches), bar, notes } satisfies ReadRun
})

/** The agents' answers, by the names of findings, in the order of the rounds. */
export const answersByName = (rounds: ReadonlyArray<RoundView>): ReadonlyMap<string, ReadonlyArray<Answered>> => {
  const all = new Map<string, Array<Answered>>()
  for (const { answers, round, undone } of rounds) {
    for (const { answer, fingerprint, why } of answers) {
      const known = all.get(fingerprint)
      const one = { round, answer, why, undone }
      if (known === undefined) all.set(fingerprint, [one])
      else known.push(one)
    }
  }
  return all
}

/** The state of a finding: the last batch reports it, it is gone, or that is not known yet. */
export type FindingState = "open" | "dismissed" | "light" | "gone" | "unseen"

/** A batch that reports a finding: its state then, and the slots of the reviewers that reported it. */
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
  /** Whether what the agent changed in that round was taken back since. */
  readonly undone: boolean
}

/** An answer in words: `fixed in round 2`. */
export const answeredText = ({ answer, round, undone }: Answered): string =>
  `${answerWord(answer)} in round ${round}${undone ? ", taken back" : ""}`

/** One finding. */
export interface FindingPart {
  /** Its number among the findings of the run, in the order of their first reports. */
  readonly at: number
  readonly fingerprint: string
  readonly title: string
  readonly place: string
  readonly priority: Priority | null
  readonly state: FindingState
  readonly body: Excerpt
  /** The different wordings of the other reviewers in the last batch that reported it. */
  readonly wordings: ReadonlyArray<Report>
  /** The places of other findings of the same batch with its name. */
  readonly twins: ReadonlyArray<string>
  readonly seen: ReadonlyArray<Sighting>
  /** The batch that no longer reported it. */
  readonly gone: BatchName | null
  readonly answers: ReadonlyArray<Answered>
  readonly dismissal: string | null
}

/** A review with issues but without a list of them. */
export interface UnlistedPart {
  readonly title: string
  readonly body: Excerpt
}

/** The findings of a run, the open ones first, the gravest first. */
export interface FindingsPart {
  readonly findings: ReadonlyArray<FindingPart>
  /** How many more a further reviewer would find, from the last batch that allows an estimate, or null. */
  readonly estimate: { readonly at: BatchName; readonly text: string } | null
  /** The reviews of the last batch that list no finding: only their text can be shown. */
  readonly unlisted: ReadonlyArray<UnlistedPart>
  /** What the findings do not cover, one sentence each: slots without a review, reviews that were not read. */
  readonly notes: ReadonlyArray<string>
}

// Fewer characters than are kept of a body in an earlier batch, where the cut may have split a secret.
const bounds = { body: 3500, little: 200, all: 4 * 1024 * 1024, wordings: 8, twins: 8, unlisted: 8, notes: 20 } as const

const order: Readonly<Record<FindingState, number>> = { open: 0, unseen: 1, light: 2, dismissed: 3, gone: 4 }

const byWeight = (a: FindingPart, b: FindingPart): number =>
  order[a.state] - order[b.state] || (a.priority ?? 0.5) - (b.priority ?? 0.5)

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

const stateOfFinding = ({ finding, gone }: Thread, reported: boolean, bar: Bar, isDismissed: boolean): FindingState => {
  if (gone !== null) return "gone"
  if (isDismissed) return "dismissed"
  if (weightOf(finding) > bar.block) return "light"
  return reported ? "open" : "unseen"
}

/** A place whose path is cut only after its secrets are removed. */
const safely = ({ lines, path }: Pick<Report, "path" | "lines">) => ({
  lines,
  path: path === null ? null : redact(path)
})

/** The different wordings of other reviewers, each once. */
const wordingsOf = ({ reports }: Finding): ReadonlyArray<Report> => {
  const same = (a: Report, b: Report) => a.title === b.title && a.body === b.body
  const own = reports.filter((one, i) => reports.findIndex((other) => same(one, other)) === i)
  return own.slice(1, 1 + bounds.wordings)
}

/** A body, cut to the room on the page. */
const bodyOf = (body: string, left: number, naming: Naming): Excerpt =>
  excerpt(
    body,
    `\`${readerCall("findings --json", naming)}\` has the whole text`,
    left > 0 ? bounds.body : bounds.little
  )

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

/** The estimate of the last batch that reports findings, if it allows one. */
const estimated = (batches: ReadonlyArray<ReviewedBatch>): FindingsPart["estimate"] => {
  const last = batches.findLast(({ findings }) => findings.length > 0)
  const text = last === undefined ? null : estimateText(estimateOf(last))
  return last === undefined || text === null ? null : { at: { level: last.level, batch: last.batch }, text }
}

/** The findings in the batches of a run, with the agents' answers in its rounds. */
export const findingsPart = (
  { bar, batches, history, notes }: ReadRun,
  rounds: ReadonlyArray<RoundView>,
  naming: Naming = unnamed
): FindingsPart => {
  const answers = answersByName(rounds)
  const seen = sightingsOf(history, batches)
  const last = batches.at(-1)
  const orderOf = new Map(batches.map((one, i) => [batchName(one), i]))
  // What the first round that was taken back answers. The code is as it was then, so what is gone since is open again.
  const { about = null } = rounds.find(({ undone }) => undone) ?? {}
  const from = about === null ? Infinity : orderOf.get(batchName(about)) ?? Infinity
  const isBack = (gone: BatchName | null): boolean => gone !== null && (orderOf.get(batchName(gone)) ?? -1) > from
  const findingsOf = new Map(batches.map((one) => [batchName(one), one.findings]))
  let left: number = bounds.all
  const findings = history.threads.map((one, i): FindingPart => {
    const back = isBack(one.gone)
    const thread = back ? { ...one, gone: null } : one
    const { finding, gone, others } = thread
    const sightings = seen[i] ?? []
    const at = sightings.at(-1)?.at
    const waiver = dismissed(finding, bar, at === undefined ? [] : findingsOf.get(batchName(at)) ?? [])
    const body = bodyOf(finding.body, left, naming)
    left -= body.text.length
    const reported = last !== undefined && at !== undefined && batchName(at) === batchName(last)
    return {
      at: i,
      fingerprint: finding.fingerprint,
      title: finding.title,
      place: placeText(safely(finding)),
      priority: finding.priority,
      state: stateOfFinding(thread, reported || back, bar, waiver !== null),
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
    notes: [...notes, ...notesOf(batches)]
  }
}
