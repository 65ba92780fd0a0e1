// Examine: what an audit finds in the events of a review run, and which files it has to look up for them.
// It is pure, and looks at no line after the present one.
import { isTime } from "../core/log/Frame.ts"
import type { Head } from "../core/log/Head.ts"
import { isLogEvent, type Logged } from "../core/log/LogEvent.ts"
import type { Happening, WalkedLine } from "../core/log/Walk.ts"
import { slotsOf } from "../core/run/Batch.ts"
import { differs, identityText } from "../core/run/Identity.ts"
import type { Event, EventOf } from "../core/run/Event.ts"
import { isKeyOf, targetKey } from "../core/run/Target.ts"
import type { WalkedRun } from "../core/run/ReviewRun.ts"
import { oneLine } from "../core/text/Text.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { batchName, slotName } from "../core/text/Phrases.ts"
import { describe } from "./Describe.ts"
import { type DriverMark, driverMarkOf } from "./DriverMarks.ts"
import { fact, uncompleted } from "./Facts.ts"
import { type DoneBatch, type DoneBatches, remembered } from "./Answerable.ts"
import type { Finding, FindingKind, Note } from "./AuditFinding.ts"
import { nothingShown, show, type Shown } from "./Proof.ts"
import { type Recorded, recordedBy } from "./Evidence.ts"
import { type KeptText, textsOf } from "./KeptTexts.ts"
import type { WaivedBatch } from "./Waived.ts"
import { transition } from "./Rules.ts"
import { newWitness, noteStart, takeLaunched, type Witness } from "./Witness.ts"

/** What follows from the lines so far: what they prove, how many reviews there were, how often code changed. */
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

/** What an audit finds in some lines, and what it knows after them. */
export interface Examined {
  readonly known: Known
  readonly findings: ReadonlyArray<Finding>
  readonly notes: ReadonlyArray<Note>
  readonly reviews: ReadonlyArray<Recorded>
  readonly texts: ReadonlyArray<KeptText>
  readonly waived: ReadonlyArray<WaivedBatch>
}

/** What is being gathered of lines. */
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
  { before: { state } }: Happening<Event, WalkedRun>,
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
  happening: Happening<Event, WalkedRun>,
  events: ReadonlyArray<Logged<Event> | null>,
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
    // On a strict run such a batch covers no level, so the proof does not depend on it.
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
