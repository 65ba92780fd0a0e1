// Audit: a run's log, its transitions, verdicts and files, checked from the first line to the last.
// The one rule: it only reads, takes no lock, and says what it could not check.
import { Clock, Effect, Stream } from "effect"
import { walker } from "../core/log/Walk.ts"
import { slotsOf } from "../core/run/Batch.ts"
import { beginning, type Head } from "../core/log/Head.ts"
import { counted, slotName } from "../core/text/Phrases.ts"
import { reviewRun } from "../core/run/ReviewRun.ts"
import { EventLog, type LogDamaged, type LogPart, type LogRewound, LogTooNew } from "../services/EventLog.ts"
import type { OutputError } from "../services/Output.ts"
import { RunStore } from "../services/RunStore.ts"
import { ReviewFiles } from "../services/ReviewFiles.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { type Examination, examination, examine } from "./Examine.ts"
import type { Finding, Note } from "./AuditFinding.ts"
import { keptFinding } from "./KeptFile.ts"
import { type Proof, proofOf } from "./Proof.ts"
import { type Opinion, recheck, type Recorded } from "./Recheck.ts"

/** How a run is audited. `logOnly` leaves the transcripts alone; `version` is this program's. */
export interface AuditOptions {
  readonly expectHead: Head | null
  readonly logOnly: boolean
  readonly reclassify: boolean
  readonly version: string
}

/** Today's opinion of a recorded review. */
export interface Reclassified {
  readonly recorded: Recorded
  readonly today: Opinion | null
}

/** What an audit has to say, as it comes. */
export type Word =
  | { readonly _tag: "Found"; readonly finding: Finding }
  | { readonly _tag: "Noted"; readonly note: Note }
  | { readonly _tag: "Reclassified"; readonly review: Reclassified }

/** What an audited run amounts to. */
export interface Audited {
  readonly findings: number
  readonly lines: number
  readonly events: number
  readonly reviews: number
  readonly head: Head
  readonly proof: Proof | null
}

// An attempt whose intent has just been committed has no process yet.
const startingFor = 10_000

const headFinding = (line: number, text: string): Finding => ({ kind: "head", line, text })

/** Audits a stored run and hands on each word as it comes. Fails where the log cannot be read at all. */
export const auditRun = Effect.fn("Audit.auditRun")(function*(
  stored: RunRef,
  options: AuditOptions,
  say: (words: ReadonlyArray<Word>) => Effect.Effect<void, OutputError>
) {
  const log = yield* EventLog
  const { runPlaces } = yield* RunStore
  const { expectHead } = options
  const found = examination()
  const walk = walker(reviewRun)
  let head: Head = beginning
  let end: LogPart["end"] = null
  let findings = 0
  let refuting = 0
  let reviews = 0

  const report = Effect.fnUntraced(function*(words: ReadonlyArray<Word>) {
    const kinds = words.flatMap((word) => word._tag === "Found" ? [word.finding.kind] : [])
    findings += kinds.length
    // A proof tells by itself which of its batches changed under review; one that was replaced takes nothing from it.
    refuting += kinds.filter((kind) => kind !== "tree-changed").length
    if (words.length > 0) yield* say(words)
  })

  const pass = () =>
    log.stream(reviewRun, stored, head).pipe(Stream.runForEach(Effect.fnUntraced(function*(part) {
      for (const line of part.lines) {
        found.lines++
        if (line.events.length === 0) {
          found.findings.push({ kind: "fact", line: line.seq, text: "the line holds no event" })
        }
        found.explained = 0
        const { after, happenings } = walk(found.walked, line)
        const events = happenings.map(({ event }) => event)
        for (const happening of happenings) examine(found, stored, happening, events)
        found.walked = after
        if (line.seq === expectHead?.seq && line.hash !== expectHead.hash) {
          found.findings.push(headFinding(line.seq, `the line has the hash ${line.hash}, not the expected one`))
        }
      }
      head = part.head
      end = part.end
      reviews += found.reviews.length
      yield* report(yield* drain(found, stored, options))
      const { unknown } = found.walked
      if (unknown !== null) return yield* new LogTooNew({ path: runPlaces(stored).directory, reason: unknown })
    })))

  const damage = yield* pass().pipe(
    Effect.as(null),
    Effect.catchTag(["LogDamaged", "LogRewound"], (error) => Effect.succeed(error))
  )
  if (damage === null) {
    const first = yield* openReviewers(found, stored)
    // Who ended a reviewer may have recorded it since the log was read.
    if (first.some(({ _tag }) => _tag === "Found")) yield* pass()
    yield* report(first.length === 0 ? first : yield* openReviewers(found, stored))
  } else {
    yield* report([{ _tag: "Found", finding: damageFinding(damage, head) }])
  }
  yield* report(endNotes(head, end).map((note) => ({ _tag: "Noted", note })))
  if (expectHead !== null && head.seq < expectHead.seq) {
    const text = `the log ends at line ${head.seq}, before the expected line ${expectHead.seq}`
    yield* report([{ _tag: "Found", finding: headFinding(head.seq, text) }])
  }
  const floor = found.walked.state?.run.start_level
  const worth = refuting > 0 ? "refuted" : options.logOnly ? "unchecked" : "borne out"
  return {
    findings,
    lines: found.lines,
    events: found.events,
    reviews,
    head,
    proof: floor === undefined ? null : proofOf(found.shown, floor, worth)
  } satisfies Audited
})

const damageFinding = (error: LogDamaged | LogRewound, head: Head): Finding =>
  error._tag === "LogDamaged"
    ? { kind: "damage", line: error.line, text: `${error.kind}, at byte ${error.offset}; nothing after it was checked` }
    : { kind: "rewound", line: head.seq, text: `the log was ${error.kind} against its head anchor` }

const endNotes = ({ seq }: Head, end: LogPart["end"]): ReadonlyArray<Note> => {
  if (end === null) return []
  const torn = `${counted(end.torn, "byte")} behind the last line were never committed; the next writer cuts them`
  const bare = "head.json is missing: lines cut from the end of the log would not be noticed"
  return [
    ...(end.torn === 0 ? [] : [{ line: seq, text: torn }]),
    ...(end.anchored || seq === 0 ? [] : [{ line: seq, text: bare }]),
    ...(seq > 0 ? [] : [{ line: 0, text: "the log has no line: the run was never begun" }])
  ]
}

/** Takes what an examination has gathered, and looks up in the files what it asks for. */
const drain = Effect.fnUntraced(function*(found: Examination, stored: RunRef, options: AuditOptions) {
  const words: Array<Word> = [
    ...found.findings.map((finding): Word => ({ _tag: "Found", finding })),
    ...found.notes.map((note): Word => ({ _tag: "Noted", note }))
  ]
  if (!options.logOnly) {
    for (const recorded of found.reviews) words.push(...(yield* reviewWords(stored, recorded, options)))
    for (const file of found.kept) {
      const finding = yield* keptFinding(stored, file)
      if (finding !== null) words.push({ _tag: "Found", finding })
    }
  }
  found.findings = []
  found.notes = []
  found.reviews = []
  found.kept = []
  return words
})

const reviewWords = Effect.fnUntraced(function*(stored: RunRef, recorded: Recorded, options: AuditOptions) {
  const { files, note, today, verdict } = yield* recheck(stored, recorded, options.version)
  const { line } = recorded
  return [
    ...files.map((text): Word => ({ _tag: "Found", finding: { kind: "transcript", line, text } })),
    ...(verdict === null ? [] : [{ _tag: "Found", finding: { kind: "verdict", line, text: verdict } } satisfies Word]),
    ...(note === null ? [] : [{ _tag: "Noted", note: { line, text: note } } satisfies Word]),
    ...(options.reclassify ? [{ _tag: "Reclassified", review: { recorded, today } } satisfies Word] : [])
  ]
})

/** The reviewers that no line says have ended: those that live are noted, those that are gone are findings. */
const openReviewers = Effect.fnUntraced(function*({ walked: { state } }: Examination, run: RunRef) {
  if (state === null || state.run.batch._tag === "NotStarted") return []
  const files = yield* ReviewFiles
  const now = yield* Clock.currentTimeMillis
  const { batch, batch_number, current_level: level } = state.run
  return yield* Effect.forEach(slotsOf(batch, "Running"), Effect.fnUntraced(function*({ attempts, since, slot }) {
    const fate = yield* files.fate({ run, level, batch: batch_number, slot, attempt: attempts })
    const where = `${slotName({ level, batch: batch_number, slot })} attempt ${attempts}`
    const noted = (text: string): Word => ({ _tag: "Noted", note: { line: 0, text: `${where} ${text}` } })
    if (fate === "Alive") return noted("is running")
    if (fate === "Exited") return noted("has ended; the next step records it")
    if (Math.abs(now - Date.parse(since)) < startingFor) return noted("is starting")
    const text = `${where} never ended: no line records its end, and nothing of it runs`
    return { _tag: "Found", finding: { kind: "unended", line: 0, text } } satisfies Word
  }))
})
