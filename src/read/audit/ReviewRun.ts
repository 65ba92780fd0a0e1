// ReviewRun: the audit of a review run.
import { Clock, Effect } from "effect"
import { isTime } from "../../log/Frame.ts"
import type { RunRef } from "../../log/Refs.ts"
import { type Head, isLogEvent, type LoggedEvent } from "../../log/StreamKind.ts"
import type { WalkedEvent, WalkState, WalkedLine } from "../../log/Walk.ts"
import { ReviewFiles, type ReviewFilesFailed } from "../../review/ReviewFiles.ts"
import { slotsOf } from "../../run/Batch.ts"
import type { Event, EventOf } from "../../run/Event.ts"
import { differs, identityText } from "../../run/Identity.ts"
import { reviewRun, type WalkedRun } from "../../run/ReviewRun.ts"
import { RunStore, type StoreFailed } from "../../run/RunStore.ts"
import { isKeyOf, targetKey } from "../../run/Target.ts"
import { batchName, slotName } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import {
  type Finding,
  type FindingKind,
  type Found,
  found,
  type LogAuditor,
  type Note,
  type Noted,
  noted
} from "../LogReader.ts"
import { describe } from "../replay/words.ts"
import { type DriverMark, driverMarkOf } from "./DriverMarks.ts"
import {
  keepBatches,
  newWitness,
  noteSeen,
  noteStart,
  type Recorded,
  recordedBy,
  takeLaunched,
  type Witness
} from "./Evidence.ts"
import { nothingShown, show, type Shown } from "./Proof.ts"
import {
  keptFinding,
  type KeptText,
  type Opinion,
  recheck,
  recheckWaived,
  textsOf,
  type WaivedBatch
} from "./Recheck.ts"
import { type DoneBatch, type DoneBatches, fact, remembered, transition, uncompleted } from "./Rules.ts"

// The findings in the events of a review run, and the files to check for them.
// It is pure, and looks at no line after the present one.

/** The knowledge from the lines so far: what they prove, how many reviews there were, how often code changed. */
export interface Known {
  readonly shown: Shown
  readonly reviews: number
  readonly treeChanges: number
  /** The complete batches of a strict run. */
  readonly done: DoneBatches
  readonly witness: Witness
  /** The marks that drivers set. */
  readonly marks: ReadonlyArray<DriverMark>
  /** The line that reached the latest fixed point. */
  readonly fixedAt: Head | null
}

/** Before the first line. */
export const nothingKnown = (): Known => ({
  shown: nothingShown,
  reviews: 0,
  treeChanges: 0,
  done: new Map(),
  witness: newWitness(),
  marks: [],
  fixedAt: null
})

/** The findings in some lines, and the knowledge after them. */
interface Examined {
  readonly known: Known
  readonly findings: ReadonlyArray<Finding>
  readonly notes: ReadonlyArray<Note>
  readonly reviews: ReadonlyArray<Recorded>
  readonly texts: ReadonlyArray<KeptText>
  readonly waived: ReadonlyArray<WaivedBatch>
}

/** The findings being collected from lines. */
interface Gathered {
  readonly findings: Array<Finding>
  readonly notes: Array<Note>
  readonly reviews: Array<Recorded>
  readonly texts: Array<KeptText>
  readonly done: Map<string, DoneBatch>
  readonly witness: Witness
  readonly waived: Array<WaivedBatch>
  readonly marks: Array<DriverMark>
  fixedAt: Head | null
  shown: Shown
}

/** Whether the run that the first line creates is the one whose directory it lies in. */
const misplaced = (created: EventOf<"RunCreated">, stored: RunRef): string | null => {
  const found = [created.runId, created.repoId, targetKey(created.target)]
  const expected = [stored.runId, stored.repoId, stored.targetKey]
  const { runId, repoId, target } = created
  return runId === stored.runId && repoId === stored.repoId && isKeyOf(stored.targetKey, target)
    ? null
    : `the log is of ${oneLine(found.join(" "))}, its directory is of ${oneLine(expected.join(" "))}`
}

const changedUnderReview = (
  { before: { state } }: WalkedEvent<Event, WalkedRun>,
  event: EventOf<"BatchCompleted">
): string | null =>
  state?.run.batch._tag === "Started" && differs(state.run.batch.identity, event.identity)
    ? `${batchName(event)}: the code changed while it was under review: ` +
      `${identityText(state.run.batch.identity)}, then ${identityText(event.identity)}`
    : null

/** Examines one event of a line's `events`. Returns how many further ones it explains, unless it was `explained`. */
const examineEvent = (
  into: Gathered,
  stored: RunRef,
  happening: WalkedEvent<Event, WalkedRun>,
  events: ReadonlyArray<LoggedEvent<Event> | null>,
  explained: boolean
): number => {
  const { before, event, index, line } = happening
  const state = before.state?.run ?? null
  if (event === null || before.unknown !== null || isLogEvent(event)) return 0
  const finding = (kind: FindingKind, text: string): void => {
    into.findings.push({ kind, line: line.seq, text })
  }
  const named = (problem: string): string => `${event._tag} ${describe(event)}: ${problem}`
  into.texts.push(...textsOf(event, line.seq))
  const mark = driverMarkOf(event, line.seq)
  if (mark !== null) into.marks.push(mark)
  if (event._tag === "FixedPointReached") into.fixedAt = { seq: line.seq, hash: line.hash }

  if (state === null) {
    const problem = event._tag === "RunCreated" ? misplaced(event, stored) : null
    if (problem !== null) finding("run", problem)
    if (event._tag === "RunCreated" && !isTime(event.createdAt)) finding("time", "createdAt is not a valid time")
    if (event._tag !== "RunCreated") finding("run", named("no run was created before it"))
    return 0
  }
  const judged = explained ? null : transition(state, event, events.slice(index), into.done)
  if (judged !== null && judged.problem !== null) finding("transition", named(judged.problem))
  const problem = fact(state, event, into.done)
  if (problem !== null) finding("fact", named(problem))

  if (event._tag === "ReviewStarted") {
    const again = noteStart(into.witness, event, { seq: line.seq, hash: line.hash })
    if (again !== null) finding("fact", named(again))
  }
  if (event._tag === "ReviewFinished") {
    into.reviews.push(recordedBy(line, event, state, takeLaunched(into.witness, event)))
    const missing = uncompleted(happening.after.state?.run ?? null, events.slice(index + 1))
    if (missing !== null) finding("fact", named(missing))
  }
  if (event._tag === "BatchOpened" && state.batch._tag === "Started") {
    for (const { slot } of slotsOf(state.batch, "Running")) {
      const at = { level: state.current_level, batch: state.batch_number, slot }
      finding("unended", `${slotName(at)}: the batch was left while its reviewer was open`)
    }
  }
  if (event._tag === "BatchCompleted") {
    const text = changedUnderReview(happening, event)
    // In a strict run such a batch covers no level, so the proof does not depend on it.
    if (text !== null && state.strict === undefined) finding("tree-changed", text)
    else if (text !== null) into.notes.push({ line: line.seq, text })
    if (event.identity._tag === "Unknown") {
      const text = `${batchName(event)}: what it reviewed is ${identityText(event.identity)}`
      into.notes.push({ line: line.seq, text })
    }
  }
  const flawed = event._tag === "BatchWaived" ? into.shown.flawed[event.level] : null
  if (event._tag === "BatchWaived" && flawed?.batch === event.batch) {
    into.waived.push({ line, event, flawed, dismissed: state.dismissed ?? [], worktree: state.worktree })
  }
  const done = remembered(into.done, state, event)
  if (done !== null) into.done.set(done.name, done.batch)
  into.shown = show(into.shown, state, event, line.seq)
  return judged === null ? 0 : judged.explains - 1
}

/** Examines further lines of `stored`'s log. */
export const examine = (
  { done, fixedAt, marks, reviews, shown, treeChanges, witness }: Known,
  stored: RunRef,
  lines: ReadonlyArray<WalkedLine<Event, WalkedRun>>
): Examined => {
  const into: Gathered = {
    findings: [],
    notes: [],
    reviews: [],
    texts: [],
    waived: [],
    marks: [...marks],
    done: new Map(done),
    witness,
    fixedAt,
    shown
  }
  for (const { happenings } of lines) {
    const events = happenings.map(({ event }) => event)
    let explained = 0
    for (const happening of happenings) {
      const explains = examineEvent(into, stored, happening, events, explained > 0)
      explained = explained > 0 ? explained - 1 : explains
    }
  }
  const changes = into.findings.filter(({ kind }) => kind === "tree-changed").length
  const known = {
    shown: into.shown,
    reviews: reviews + into.reviews.length,
    treeChanges: treeChanges + changes,
    done: into.done,
    witness,
    marks: into.marks,
    fixedAt: into.fixedAt
  }
  const { findings, notes, reviews: recorded, texts, waived } = into
  return { known, findings, notes, reviews: recorded, texts, waived }
}

// The audit of a review run's log: its events, the files that they name, and the reviewers that they leave open.

/** The options of the audit of a review run. `logOnly` skips the transcripts; `version` is this program's. */
export interface ReviewRunOptions {
  readonly logOnly: boolean
  readonly reclassify: boolean
  readonly version: string
}

/** Today's classification of a recorded review. */
export interface Reclassified {
  readonly recorded: Pick<Recorded, "event" | "line" | "version">
  readonly today: Opinion | null
}

/** The results of the audit of a review run. */
export type Word = Found | Noted | { readonly _tag: "Reclassified"; readonly review: Reclassified }

// An attempt whose intent has just been committed has no process yet.
const startingFor = 10_000

/** The results from the files of a recorded review. */
const reviewWords = Effect.fnUntraced(function*(
  run: RunRef,
  recorded: Recorded,
  options: ReviewRunOptions,
  witness: Witness
) {
  const { files, note, seen, today, verdict } = yield* recheck(run, recorded, options.version)
  const { event, launched, line, version } = recorded
  const by = { version, program: launched?.program ?? null }
  const transcript = [...files, ...seen.transcript, ...noteSeen(witness, event, seen, by)]
  const words: ReadonlyArray<Word> = [
    ...transcript.map((text) => found("transcript", line, text)),
    ...seen.journal.map((text) => found("journal", line, text)),
    ...(verdict === null ? [] : [found("verdict", line, verdict)]),
    ...(note === null ? [] : [noted(line, note)]),
    ...(options.reclassify ? [{ _tag: "Reclassified", review: { recorded, today } } as const] : [])
  ]
  return words
})

const textWords = Effect.fnUntraced(function*(run: RunRef, { line, text: { bytes, hex }, name }: KeptText) {
  const problem = yield* keptFinding(run, { kept: "text", file: name, hex, bytes })
  return problem === null ? [] : [found("transcript", line, problem)]
})

/** The batches whose missing evidence the end of an audit may report: the clean ones and the current one. */
const namesOf = ({ shown }: Known, walked: WalkState<WalkedRun> | null): ReadonlySet<string> => {
  const run = walked?.state?.run
  const current = run === undefined ? [] : [{ level: run.current_level, batch: run.batch_number }]
  return new Set([...current, ...Object.values(shown.at).filter((clean) => clean !== null)].map(batchName))
}

const examined = Effect.fnUntraced(function*(
  run: RunRef,
  options: ReviewRunOptions,
  before: Known,
  lines: ReadonlyArray<WalkedLine<Event, WalkedRun>>
) {
  const { findings, known, notes, reviews, texts, waived } = examine(before, run, lines)
  const words: Array<Word> = [
    ...findings.map((finding): Word => ({ _tag: "Found", finding })),
    ...notes.map((note): Word => ({ _tag: "Noted", note }))
  ]
  if (!options.logOnly) {
    for (const recorded of reviews) words.push(...(yield* reviewWords(run, recorded, options, known.witness)))
    keepBatches(known.witness, namesOf(known, lines.at(-1)?.after ?? null))
    for (const one of waived) words.push(...(yield* recheckWaived(run, one)))
    for (const text of texts) words.push(...(yield* textWords(run, text)))
  }
  return { known, words }
})

/** The reviewers whose end no line records: living ones are notes, dead ones are findings. */
const openReviewers = Effect.fnUntraced(function*(run: RunRef, { state }: WalkState<WalkedRun>) {
  if (state === null || state.run.batch._tag === "NotStarted") return []
  const files = yield* ReviewFiles
  const now = yield* Clock.currentTimeMillis
  const { batch, batch_number, current_level: level } = state.run
  return yield* Effect.forEach(
    slotsOf(batch, "Running"),
    Effect.fnUntraced(function*({ attempts, since, slot }) {
      const fate = yield* files.fate({ run, level, batch: batch_number, slot, attempt: attempts })
      const where = `${slotName({ level, batch: batch_number, slot })} attempt ${attempts}`
      if (fate === "Alive") return noted(0, `${where} is running`)
      if (fate === "Exited") return noted(0, `${where} has ended; the next step records it`)
      if (Math.abs(now - Date.parse(since)) < startingFor) return noted(0, `${where} is starting`)
      return found("unended", 0, `${where} never ended: no line records its end, and none of its processes runs`)
    })
  )
})

/** The input of the audit of one review run. */
export const reviewRunAuditor = (
  run: RunRef,
  options: ReviewRunOptions
): LogAuditor<Event, WalkedRun, Known, Word, ReviewFilesFailed | StoreFailed, ReviewFiles | RunStore> => ({
  kind: reviewRun,
  begin: nothingKnown(),
  examine: (known, lines) => examined(run, options, known, lines),
  ended: (walked) => openReviewers(run, walked)
})
