// StoredReviews: what the reviewers of tests left, for readers of the past.
// The one rule: it tells what the world tells; a reviewer that was never started left nothing.
import { Clock, Effect, Layer, Ref } from "effect"
import type { SlotFiles } from "../../core/run/Paths.ts"
import { ReviewFilesFailed } from "../../services/ReviewFiles.ts"
import { type Fate, StoredReviews } from "../../services/StoredReviews.ts"
import { lives, type Reviewer, World } from "../World.ts"
import { evidenceOf, noSuchFile } from "./ReviewFiles.ts"

const exitStatus = ({ deadline, scripted, stoppedAt }: Reviewer): number =>
  deadline || stoppedAt !== null ? 143 : scripted.exit

/** The stored files of the reviewers that the world knows. */
export const layer: Layer.Layer<StoredReviews, never, World> = Layer.effect(
  StoredReviews,
  Effect.map(World, ({ reviewers }) => {
    const read = Effect.fnUntraced(function*({ log, out }: SlotFiles) {
      const reviewer = (yield* Ref.get(reviewers)).findLast((one) => one.attempt.files.out === out)
      if (reviewer === undefined) return yield* new ReviewFilesFailed({ path: log, reason: noSuchFile })
      const over = !lives(reviewer, yield* Clock.currentTimeMillis)
      return { missing: [], status: over ? exitStatus(reviewer) : null, evidence: evidenceOf(reviewer.scripted) }
    })
    return StoredReviews.of({
      read,
      said: (files) => Effect.map(read(files), ({ evidence }) => evidence),
      fate: Effect.fnUntraced(function*({ run }: SlotFiles) {
        const reviewer = (yield* Ref.get(reviewers)).find((one) => one.attempt.files.run === run)
        const now = yield* Clock.currentTimeMillis
        const fate: Fate = reviewer === undefined ? "Gone" : lives(reviewer, now) ? "Alive" : "Exited"
        return fate
      })
    })
  })
)
