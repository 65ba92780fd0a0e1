// ReviewedBatch: the reviews of one batch for people and programs: who found what, who found nothing.
// The verdict is the recorded one; findings explain it and never overrule it.
import type { BatchPlaces } from "../../run/RunStore.ts"
import { slotsOf, type StartedBatch } from "../../run/Batch.ts"
import type { Finding } from "./Finding.ts"
import type { Level } from "../../run/Level.ts"

export interface BatchName {
  readonly level: Level
  readonly batch: number
}

/** A review recorded with issues that lists no finding; only its whole text can be shown. */
export interface UnlistedReview {
  readonly slot: number
  readonly reason: string
  readonly body: string
}

export interface ReviewedBatch extends BatchName {
  /** Where people find the full text of each reviewer. */
  readonly places: BatchPlaces
  readonly started: StartedBatch
  /** The findings of all reviews recorded with issues, merged; the gravest first. */
  readonly findings: ReadonlyArray<Finding>
  readonly unlisted: ReadonlyArray<UnlistedReview>
  /** How many more findings there were than were kept. */
  readonly dropped: number
  /** Whether the reviews were read; otherwise only the log is known. */
  readonly read: boolean
}

/**
 * Whether a finding that this batch does not report is gone: every slot has a review that was read and lists its
 * findings.
 */
export const isSettled = ({ dropped, read, started, unlisted }: ReviewedBatch): boolean =>
  read && dropped === 0 && unlisted.length === 0 && started.slots.every(({ _tag }) => _tag === "Finished")

/** A slot without a review, and why. The message of a failure holds codex's words. */
interface MissingReview {
  readonly slot: number
  readonly state: "Queued" | "Running" | "Failed"
  readonly why: string
}

/** The slots without a review. */
export const withoutReview = ({ slots }: StartedBatch): ReadonlyArray<MissingReview> =>
  slots.flatMap((slot): ReadonlyArray<MissingReview> => {
    switch (slot._tag) {
      case "Finished":
        return []
      case "Queued":
        return [{ slot: slot.slot, state: slot._tag, why: slot.attempts === 0 ? "not started" : "to be run again" }]
      case "Running":
        return [{ slot: slot.slot, state: slot._tag, why: "still running" }]
      case "Failed":
        return [{ slot: slot.slot, state: slot._tag, why: slot.message }]
    }
  })

/** The file with the whole text of a slot's reviewer. */
export const wholeFile = ({ places, started }: ReviewedBatch, slot: number): string => {
  const files = places.slots[slot - 1]
  if (files === undefined) return places.directory
  const found = slotsOf(started, "Finished").find((one) => one.slot === slot)
  if (found === undefined) return files.log
  if (found.source === "session" && found.files.review !== null) return files.review
  return found.source === "marker" && found.files.out.bytes === 0 ? files.log : files.out
}

// The most that is read of a standard output; and the cost of opening a review's files, as a number of bytes.
const outBound = 8 * 1024 * 1024
const opening = 16 * 1024

/** The cost of reading a batch, in bytes. Clean reviews are not read: they hold no finding. */
export const readingCost = (started: StartedBatch): number =>
  slotsOf(started, "Finished").reduce(
    (sum, { files, verdict }) =>
      verdict === "Clean" ? sum : sum + opening + Math.min(outBound, files.out.bytes) + (files.review?.bytes ?? 0),
    0
  )

/** The first of `batches` from which all can be read for `budget` bytes; the last batch is always read. */
export const firstRead = (batches: ReadonlyArray<StartedBatch>, budget: number): number => {
  let left = budget
  for (let i = batches.length - 1; i >= 0; i--) {
    const batch = batches[i]
    left -= batch === undefined ? 0 : readingCost(batch)
    if (left < 0) return Math.min(i + 1, batches.length - 1)
  }
  return 0
}
