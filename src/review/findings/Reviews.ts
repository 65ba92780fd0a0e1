// Reviews: the texts of a run's reviewers, read again from their files for people and agents.
// The recorded verdict is final; files add the findings behind it and never change it.
import { Effect } from "effect"
import { slotsOf, type SlotOf, type StartedBatch } from "../../run/Batch.ts"
import { type Finding, findingOf, type RawFinding } from "./Finding.ts"
import { findingsReport, sameBatch } from "./Report.ts"
import { batchesOf } from "../../run/ReviewRun.ts"
import { readRunLog } from "../../run/RunLog.ts"
import type { Remark } from "./formats/Retrospective.ts"
import { judge, finalText } from "../verdict/Judge.ts"
import { mergeFindings } from "./Merge.ts"
import type { ReviewRef } from "../../run/Refs.ts"
import { type BatchName, firstRead, type ReviewedBatch, type UnlistedReview } from "./ReviewedBatch.ts"
import { cut } from "../../text/Untrusted.ts"
import type { Bar } from "./Waiving.ts"
import type { Run } from "../../run/Run.ts"
import { RunStore } from "../../run/RunStore.ts"
import { ReviewFiles } from "../ReviewFiles.ts"
import { recovered } from "../../platform/Note.ts"

/** How much is kept: characters of a text, findings of a review. */
interface Keep {
  readonly characters: number
  readonly findings: number
}

/** Everything: for programs that ask for it. */
export const whole: Keep = { characters: Number.MAX_SAFE_INTEGER, findings: Number.MAX_SAFE_INTEGER }
/** More than any document prints. */
const printed: Keep = { characters: 64 * 1024, findings: 5000 }
/** Less is kept of an earlier batch, because there may be many. */
const past: Keep = { characters: 4000, findings: 500 }

/** How many bytes of earlier reviews are read by default: about a second. */
const usual = 16 * 1024 * 1024

const shortened = (written: RawFinding, { characters }: Keep): RawFinding => ({
  ...written,
  title: cut(written.title, characters),
  body: cut(written.body, characters)
})

/** Turns paths in a copy into paths of the original worktree. */
export const mapped = (isolated: string | undefined, worktree: string) => (text: string): string =>
  isolated === undefined ? text : text.replaceAll(isolated, () => worktree)

/** A finding with its texts and place in the worktree. */
export const moved = (
  { body, place, title, ...rest }: RawFinding,
  inWorktree: (text: string) => string
): RawFinding => ({
  ...rest,
  title: inWorktree(title),
  body: inWorktree(body),
  place: place === null ? null : { ...place, path: inWorktree(place.path) }
})

/** A batch that a run started, in its final state. */
type Started = BatchName & { readonly started: StartedBatch }

interface ListedFindings {
  readonly findings: ReadonlyArray<Finding>
  readonly unlisted: ReadonlyArray<UnlistedReview>
  readonly dropped: number
}

/** The text of a reviewer whose verdict was recorded as issues. */
const tell = Effect.fnUntraced(function*(run: Run, past: Started, slot: SlotOf<"Finished">, keep: Keep) {
  const at: BatchName = { level: past.level, batch: past.batch }
  const inWorktree = mapped(past.started.isolated, run.manifest.worktree)
  const review: ReviewRef = { run: run.ref, ...at, slot: slot.slot, attempt: slot.attempts }
  const sources = yield* (yield* ReviewFiles).said(review, { session: slot.files.review !== null })
  // Without a recorded finding there is none to read again. Not judging the text saves the most time: prose is slowest.
  const judged = slot.findings === 0 ? null : judge(sources, 0)
  const written = judged?._tag === "Reviewed" ? judged.findings : []
  if (written.length === 0) {
    const body = cut(inWorktree(finalText(sources, slot.source)), keep.characters)
    const unlisted = [{ slot: slot.slot, reason: slot.reason, body }]
    return { findings: [], unlisted, dropped: 0 } satisfies ListedFindings
  }
  const findings = written.slice(0, keep.findings)
    .map((one) => findingOf(shortened(moved(one, inWorktree), keep), slot.slot, run.manifest.worktree))
  return { findings, unlisted: [], dropped: written.length - findings.length } satisfies ListedFindings
})

const placesOf = (run: Run, at: BatchName, { size }: StartedBatch) =>
  RunStore.useSync((store) => store.batchPlaces({ run: run.ref, ...at }, size))

/** Reads the reviews of a batch of a run. Clean ones are not opened: they hold no finding. */
const readBatch = Effect.fnUntraced(function*(run: Run, past: Started, keep: Keep) {
  const { batch, level, started } = past
  const at: BatchName = { level, batch }
  const flawed = slotsOf(started, "Finished").filter(({ verdict }) => verdict === "HasIssues")
  // Copied, because a substring keeps the whole original text in memory.
  const listed = yield* Effect.forEach(
    flawed,
    (slot) => Effect.map(tell(run, past, slot, keep), (one) => keep === whole ? one : structuredClone(one))
  )
  return {
    ...at,
    places: yield* placesOf(run, at, started),
    started,
    findings: mergeFindings(...listed.map(({ findings }) => findings)),
    unlisted: listed.flatMap(({ unlisted }) => unlisted),
    dropped: listed.reduce((sum, { dropped }) => sum + dropped, 0),
    read: true
  } satisfies ReviewedBatch
})

const unread = Effect.fnUntraced(function*(run: Run, { batch, level, started }: Started) {
  const at: BatchName = { level, batch }
  return {
    ...at,
    places: yield* placesOf(run, at, started),
    started,
    findings: [],
    unlisted: [],
    dropped: 0,
    read: false
  } satisfies ReviewedBatch
})

/** A run's batches up to the requested one, which comes last, and the failed attempts to address them. */
interface ReadHistory {
  readonly batches: ReadonlyArray<ReviewedBatch>
  readonly failures: ReadonlyArray<Remark>
}

/** The last batch to read, how much of it is kept, and how many bytes of earlier ones are read. */
export interface ReadOptions {
  readonly until?: BatchName
  readonly keep?: Keep
  readonly budget?: number
}

/**
 * Reads the reviews of batches that a run started, in order, up to `until` or the last one. Time and memory are
 * bounded: earlier batches are read from the newest on, as far as the budget of bytes goes, and kept shortened.
 */
export const readBatches = Effect.fn("Reviews.readBatches")(
  function*(run: Run, all: ReadonlyArray<Started>, options: ReadOptions = {}) {
    const { budget = usual, keep = printed, until } = options
    const end = until === undefined ? all.length : all.findIndex((one) => sameBatch(until, one)) + 1
    const asked = all.slice(0, end)
    const first = firstRead(asked.map(({ started }) => started), budget)
    return yield* Effect.forEach(asked, (one, i) => {
      if (i === asked.length - 1) return readBatch(run, one, keep)
      if (i < first) return unread(run, one)
      // A missing or damaged old file must not hide the present findings.
      return Effect.catch(
        readBatch(run, one, past),
        (error) => Effect.andThen(recovered("an earlier batch is shown without its findings")(error), unread(run, one))
      )
    })
  }
)

/** Reads the reviews of a run, as `readBatches`, and the failed attempts to address them. */
export const readHistory = Effect.fn("Reviews.readHistory")(
  function*(run: Run, options: ReadOptions = {}) {
    const { commits } = yield* readRunLog(run.ref)
    const all = batchesOf(commits).map(({ batch, level, number }) => ({ level, batch: number, started: batch }))
    const batches = yield* readBatches(run, all, options)
    const failures = commits.flatMap(({ events }) => events).flatMap((event): ReadonlyArray<Remark> =>
      event._tag === "AddressFailed" ? [{ level: event.level, batch: event.batch, text: event.details.text }] : []
    )
    return { batches, failures } satisfies ReadHistory
  }
)

/** The findings of the last batch that a run started, or of the requested one; null if there is no such batch. */
export const readFindings = Effect.fn("Reviews.readFindings")(
  function*(run: Run, options: { readonly until?: BatchName; readonly keep?: Keep; readonly bar?: Bar } = {}) {
    const { batches } = yield* readHistory(run, options)
    return findingsReport(run.manifest, batches, options.bar)
  }
)
