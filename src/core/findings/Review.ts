// Review: the reviews of one batch as people and programs are shown them: who found what, who found nothing.
// The one rule: the verdict is the recorded one; findings explain it and never overrule it.
import { slotsOf, type StartedBatch } from "../run/Batch.ts"
import type { Finding } from "./Finding.ts"
import type { Level } from "../run/Level.ts"
import { slotFiles } from "../run/Paths.ts"

/** A batch by its name. */
export interface At {
  readonly level: Level
  readonly batch: number
}

/** A review recorded with issues in which no finding can be told apart from the rest; its text is all there is. */
export interface Unlisted {
  readonly slot: number
  readonly reason: string
  readonly body: string
}

/** The reviews of one batch. */
export interface ReviewedBatch extends At {
  /** The batch's directory: the whole of what each reviewer wrote lies in it. */
  readonly dir: string
  readonly started: StartedBatch
  /** The findings of all reviews recorded with issues, merged; the gravest first. */
  readonly findings: ReadonlyArray<Finding>
  readonly unlisted: ReadonlyArray<Unlisted>
  /** How many more findings there were than are kept. */
  readonly dropped: number
  /** Whether the reviews were read; where they were not, only the log tells of them. */
  readonly read: boolean
}

/** Whether a batch's silence about a finding means something: every slot has a review, all of them read and listed. */
export const isSettled = ({ dropped, read, started, unlisted }: ReviewedBatch): boolean =>
  read && dropped === 0 && unlisted.length === 0 && started.slots.every(({ _tag }) => _tag === "Finished")

/** A slot that has no review, and why. The message of a failure holds codex's words. */
export interface Missing {
  readonly slot: number
  readonly state: "Queued" | "Running" | "Failed"
  readonly why: string
}

/** The slots that have no review. */
export const withoutReview = ({ slots }: StartedBatch): ReadonlyArray<Missing> =>
  slots.flatMap((slot): ReadonlyArray<Missing> => {
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

/** The file that holds the whole of what a slot's reviewer said. */
export const wholeFile = ({ dir, level, started }: ReviewedBatch, slot: number): string => {
  const files = slotFiles(dir, level, slot, 1)
  const found = slotsOf(started, "Finished").find((one) => one.slot === slot)
  if (found === undefined) return files.log
  if (found.source === "session" && found.files.review !== null) return files.review
  return found.source === "marker" && found.files.out.bytes === 0 ? files.log : files.out
}

// No more of a standard output is ever read; and what opening a review's files costs, in bytes that cost as much.
const outBound = 8 * 1024 * 1024
const opening = 16 * 1024

/** What reading a batch costs, in bytes. Clean reviews are not read: there is nothing to be found in them. */
export const readingCost = (started: StartedBatch): number =>
  slotsOf(started, "Finished").reduce((sum, { files, verdict }) =>
    verdict === "Clean" ? sum : sum + opening + Math.min(outBound, files.out.bytes) + (files.review?.bytes ?? 0), 0)

/** The first of `batches` from which on all can be read for `budget` bytes; the last one is always read. */
export const firstRead = (batches: ReadonlyArray<StartedBatch>, budget: number): number => {
  let left = budget
  for (let i = batches.length - 1; i >= 0; i--) {
    const batch = batches[i]
    left -= batch === undefined ? 0 : readingCost(batch)
    if (left < 0) return Math.min(i + 1, batches.length - 1)
  }
  return 0
}
