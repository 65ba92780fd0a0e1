// Cutting: which attempts of a run have a transcript that can be cut, because nobody needs all of it any more.
// An unfinished run keeps the transcripts that its next step reads and that would prove its fixed point.
import type { Commit } from "../core/log/StreamKind.ts"
import { slotsOf } from "../core/run/Batch.ts"
import type { Event } from "../core/run/Event.ts"
import type { Level } from "../core/run/Level.ts"
import { batchesOf, type PastBatch } from "../core/run/PastBatches.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Cuttable } from "../services/RunStore.ts"

const isComplete = ({ batch }: PastBatch): boolean => slotsOf(batch, "Finished").length === batch.size

/** The numbers of the last complete batches of each level. */
const lastOf = (batches: ReadonlyArray<PastBatch>): ReadonlyMap<Level, number> =>
  new Map(batches.filter(isComplete).map(({ level, number }) => [level, number]))

const stateOf = {
  Finished: "Reviewed",
  Running: "Open",
  Failed: "Failed",
  Queued: "Failed"
} as const

const attemptsOf = (run: RunRef, { batch, level, number }: PastBatch, reviewed: boolean): ReadonlyArray<Cuttable> =>
  batch.slots.flatMap((slot): ReadonlyArray<Cuttable> => {
    const at = (attempt: number) => ({ run, level, batch: number, slot: slot.slot, attempt })
    const archived = Array.from({ length: Math.max(0, slot.attempts - 1) }, (_, i): Cuttable => ({
      review: at(i + 1),
      state: "Archived"
    }))
    if (slot.attempts === 0 || (slot._tag === "Finished" && !reviewed)) return archived
    return [...archived, { review: at(slot.attempts), state: stateOf[slot._tag] }]
  })

/** The attempts of a run by its lines; `over`: no step will go on with it. */
export const cuttable = (
  run: RunRef,
  commits: ReadonlyArray<Commit<Event>>,
  over: boolean
): ReadonlyArray<Cuttable> => {
  const batches = batchesOf(commits)
  const last = lastOf(batches)
  return batches.flatMap((one) => {
    const needed = !over && (one.left === null || last.get(one.level) === one.number)
    return attemptsOf(run, one, !needed)
  })
}
