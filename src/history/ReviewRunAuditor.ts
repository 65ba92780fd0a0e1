// ReviewRunAuditor: what an audit looks at in the log of a review run: its events, the files that they name, and the
// reviewers that they leave open.
import { Clock, Effect } from "effect"
import type { Walked, WalkedLine } from "../core/log/Walk.ts"
import { slotsOf } from "../core/run/Batch.ts"
import type { Event } from "../core/run/Event.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { reviewRun, type WalkedRun } from "../core/run/ReviewRun.ts"
import { batchName, slotName } from "../core/text/Phrases.ts"
import { ReviewFiles, type ReviewFilesFailed } from "../services/ReviewFiles.ts"
import { RunStore, type StoreFailed } from "../services/RunStore.ts"
import { found, type Found, noted, type Noted } from "./AuditFinding.ts"
import { examine, type Known, nothingKnown } from "./Examine.ts"
import type { KeptText } from "./KeptTexts.ts"
import { keptFinding } from "./KeptFile.ts"
import type { LogAuditor } from "./LogReader.ts"
import type { Recorded } from "./Evidence.ts"
import { type Opinion, recheck } from "./Recheck.ts"
import { keepBatches, noteSeen, type Witness } from "./Witness.ts"
import { recheckWaived } from "./Waived.ts"

/** How a review run is audited. `logOnly` leaves the transcripts alone; `version` is this program's. */
export interface ReviewRunOptions {
  readonly logOnly: boolean
  readonly reclassify: boolean
  readonly version: string
}

/** Today's opinion of a recorded review. */
export interface Reclassified {
  readonly recorded: Pick<Recorded, "event" | "line" | "version">
  readonly today: Opinion | null
}

/** What an audit of a review run has to say. */
export type Word = Found | Noted | { readonly _tag: "Reclassified"; readonly review: Reclassified }

// An attempt whose intent has just been committed has no process yet.
const startingFor = 10_000

/** What the files of a recorded review say. */
const reviewWords = Effect.fnUntraced(function*(
  run: RunRef,
  recorded: Recorded,
  options: ReviewRunOptions,
  witness: Witness
) {
  const { files, note, seen, today, verdict } = yield* recheck(run, recorded, options.version)
  const { event, line, version } = recorded
  const transcript = [...files, ...seen.transcript, ...noteSeen(witness, event, seen, version)]
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

/** The batches whose missing evidence the end of an audit may have to name: the clean ones and the current one. */
const namesOf = ({ shown }: Known, walked: Walked<WalkedRun> | null): ReadonlySet<string> => {
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

/** The reviewers that no line says have ended: those that live are noted, those that are gone are findings. */
const openReviewers = Effect.fnUntraced(function*(run: RunRef, { state }: Walked<WalkedRun>) {
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

/** What the audit of one review run looks at. */
export const reviewRunAuditor = (
  run: RunRef,
  options: ReviewRunOptions
): LogAuditor<Event, WalkedRun, Known, Word, ReviewFilesFailed | StoreFailed, ReviewFiles | RunStore> => ({
  kind: reviewRun,
  begin: nothingKnown(),
  examine: (known, lines) => examined(run, options, known, lines),
  ended: (walked) => openReviewers(run, walked)
})
