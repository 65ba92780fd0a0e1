// Reviews: what the finished reviewers of a run wrote, read again from their files for people and agents.
// The one rule: the recorded verdict stands; files add the findings behind it and can never change it.
import { Effect } from "effect"
import { slotsOf } from "./core/Batch.ts"
import { findingOf } from "./core/Finding.ts"
import { batchesOf, type PastBatch } from "./core/History.ts"
import { judge } from "./core/Judge.ts"
import { batchDir, slotFiles } from "./core/Paths.ts"
import type { Review, ReviewedBatch } from "./core/Review.ts"
import type { Run } from "./Run.ts"
import { EventLog } from "./services/EventLog.ts"
import { StoredReviews } from "./services/StoredReviews.ts"

/** Reads the finished reviews of a batch of a run. */
export const readReviews = Effect.fn("Reviews.readReviews")(function*(run: Run, past: PastBatch) {
  const stored = yield* StoredReviews
  const dir = batchDir(run.dir, past.level, past.number)
  const reviews = yield* Effect.forEach(slotsOf(past.batch, "Finished"), (slot) =>
    stored.read(slotFiles(dir, past.level, slot.slot, slot.attempts), { session: slot.files.review !== null }).pipe(
      Effect.map(({ evidence }): Review => {
        const judged = judge(evidence, 0)
        const written = judged._tag === "Reviewed" ? judged.findings : []
        return {
          slot: slot.slot,
          verdict: slot.verdict,
          reason: slot.reason,
          findings: written.map((one) => findingOf(one, slot.slot, run.manifest.worktree)),
          body: evidence.out
        }
      })
    ))
  return { level: past.level, batch: past.number, size: past.batch.size, reviews } satisfies ReviewedBatch
})

/** Reads the reviews of every batch that a run started, in order; the current batch comes last. */
export const readHistory = Effect.fn("Reviews.readHistory")(function*(run: Run) {
  const { commits } = yield* (yield* EventLog).read(run.dir)
  return yield* Effect.forEach(batchesOf(commits), (past) => readReviews(run, past))
})
