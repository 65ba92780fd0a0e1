// Examine: what one event of a log gives an audit: findings, notes, and what has to be looked up in files.
// The one rule: pure; everything said here follows from the lines up to this one.
import { isLogEvent, type Logged } from "../core/log/LogEvent.ts"
import { type Happening, unwalked, type Walked } from "../core/log/Walk.ts"
import { slotsOf } from "../core/run/Batch.ts"
import { differs, identityText } from "../core/run/Identity.ts"
import type { Event, EventOf, LongText } from "../core/run/Event.ts"
import { targetKey } from "../core/run/Target.ts"
import { textName } from "../core/run/KeptName.ts"
import type { WalkedRun } from "../core/run/ReviewRun.ts"
import { oneLine } from "../core/text/Text.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { batchName, slotName } from "../core/text/Phrases.ts"
import { describe } from "./Describe.ts"
import { fact, uncompleted } from "./Facts.ts"
import type { Finding, FindingKind, Note } from "./AuditFinding.ts"
import { nothingShown, show, type Shown } from "./Proof.ts"
import type { Recorded } from "./Recheck.ts"
import { transition } from "./Rules.ts"

/** A file that the run keeps beside its log, with the digest or the beginning of one that a line gives of it. */
export interface KeptFile {
  readonly line: number
  readonly kind: Extract<FindingKind, "transcript" | "torn">
  readonly file: string
  readonly hex: string
  readonly bytes: number
}

/** An audit under way: what is known so far, and what the lines since the last report gave. */
export interface Examination {
  walked: Walked<WalkedRun>
  shown: Shown
  lines: number
  events: number
  findings: Array<Finding>
  notes: Array<Note>
  reviews: Array<Recorded>
  kept: Array<KeptFile>
  /** How many further events of the present line a transition has explained already. */
  explained: number
}

export const examination = (): Examination => ({
  walked: unwalked,
  shown: nothingShown,
  lines: 0,
  events: 0,
  findings: [],
  notes: [],
  reviews: [],
  kept: [],
  explained: 0
})

const versionOf = (by: unknown): string | null =>
  typeof by === "object" && by !== null && "version" in by && typeof by.version === "string" ? by.version : null

const keptText = (line: number, rest: LongText["rest"]): ReadonlyArray<KeptFile> =>
  rest === undefined
    ? []
    : [{ line, kind: "transcript", file: textName(rest.hex), hex: rest.hex, bytes: rest.bytes }]

/** The file that an event names: the rest of a long text, or what was cut from a torn tail. */
const kept = (event: Logged<Event>, line: number): ReadonlyArray<KeptFile> => {
  switch (event._tag) {
    case "AddressFailed":
      return keptText(line, event.details.rest)
    case "LevelOutcomeRecorded":
      return event.outcome._tag === "RetrospectiveChanges" ? keptText(line, event.outcome.reason.rest) : []
    case "TailRepaired": {
      const { bytes, kept: file } = event
      return [{ line, kind: "torn", file, hex: file.slice(file.lastIndexOf("-") + 1), bytes }]
    }
    default:
      return []
  }
}

/** Whether the run that the first line creates is the one whose directory it lies in. */
const misplaced = (created: EventOf<"RunCreated">, stored: RunRef): string | null => {
  const found = [created.runId, created.repoId, targetKey(created.target)]
  const expected = [stored.runId, stored.repoId, stored.targetKey]
  return found.every((name, i) => name === expected[i])
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

/** Examines one event. `stored` is where the log lies, `events` all events of the line. */
export const examine = (
  found: Examination,
  stored: RunRef,
  happening: Happening<Event, WalkedRun>,
  events: ReadonlyArray<Logged<Event> | null>
): void => {
  const { before, event, index, line } = happening
  const state = before.state?.run ?? null
  found.events++
  const explained = found.explained > 0
  if (explained) found.explained--
  if (event === null || before.unknown !== null) return
  const finding = (kind: FindingKind, text: string): void => {
    found.findings.push({ kind, line: line.seq, text })
  }
  found.kept.push(...kept(event, line.seq))
  if (isLogEvent(event)) return
  const named = (problem: string): string => `${event._tag} ${describe(event)}: ${problem}`

  if (state === null) {
    const problem = event._tag === "RunCreated" ? misplaced(event, stored) : null
    if (problem !== null) finding("run", problem)
    if (event._tag !== "RunCreated") finding("run", named("no run was created before it"))
    return
  }
  const judged = explained ? null : transition(state, event, events.slice(index))
  if (judged !== null) {
    if (judged.problem !== null) finding("transition", named(judged.problem))
    found.explained = judged.explains - 1
  }
  const problem = fact(state, event)
  if (problem !== null) finding("fact", named(problem))

  if (event._tag === "ReviewFinished") {
    found.reviews.push({ line: line.seq, version: versionOf(line.by), event })
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
    if (text !== null) finding("tree-changed", text)
    if (event.identity._tag === "Unknown") {
      const text = `${batchName(event)}: what it reviewed is ${identityText(event.identity)}`
      found.notes.push({ line: line.seq, text })
    }
  }
  found.shown = show(found.shown, state, event, line.seq)
}
