// ReviewersLive: reviewers as real processes, each guarded by a wrapper that outlives the step.
// It decides nothing. It only reports what it sees.
import { Effect, Layer } from "effect"
import { Environment, withCallersPath } from "../../services/Environment.ts"
import { CodexMissing, ReviewerFault, Reviewers } from "../../services/Reviewers.ts"
import { makeGuard } from "../process/Guard.ts"
import { listen } from "../process/Listen.ts"
import type { GuardFault } from "../process/GuardFault.ts"
import { wakeDirectory } from "../store/Layout.ts"
import { findBinary } from "./Binary.ts"
import { jobOf, orderOf } from "./ReviewerJobs.ts"
import { makeReviewerNotes } from "./ReviewerNotes.ts"
import { stalledTail } from "./Stalling.ts"

const locate = Effect.fn("Reviewers.locate")(function*(binary: string, cwd: string) {
  const answer = findBinary(binary, cwd, yield* withCallersPath(yield* Environment))
  if ("found" in answer) return answer.found
  return yield* new CodexMissing({ binary, reason: answer.reason })
})

const faultOf = ({ reason, what }: GuardFault): ReviewerFault =>
  new ReviewerFault({ what: reason._tag === "NoDirectory" ? `the directory to review, ${reason.path}` : what, reason })

/** The live reviewers of this machine. */
export const layer: Layer.Layer<Reviewers> = Layer.sync(Reviewers, () => {
  const guard = makeGuard({ file: "log", stalledTail })
  const notes = makeReviewerNotes()
  return Reviewers.of({
    locate,
    launch: Effect.fn("Reviewers.launch")(function*(attempts, launch, options) {
      const environment = yield* Environment
      const orders = attempts.map((attempt) => orderOf(attempt, launch, environment, options?.tied ?? false))
      yield* Effect.mapError(guard.launch(orders, "starting reviewers"), faultOf)
      yield* notes.started(attempts)
    }),
    look: Effect.fn("Reviewers.look")((attempts, options) =>
      guard.look(attempts.map(jobOf), "looking at reviewers", { acting: options?.acting ?? true }).pipe(
        Effect.tap((states) => notes.seen(attempts, states)),
        Effect.mapError(faultOf)
      )
    ),
    listen: Effect.fn("Reviewers.listen")((batch) =>
      Effect.map(
        listen(wakeDirectory(batch)),
        (ear) => (attempts, limit) => ear(attempts.map((attempt) => jobOf(attempt).files.exit), limit)
      )
    ),
    stop: Effect.fn("Reviewers.stop")((attempts) =>
      guard.stop(attempts.map(jobOf), `stopping ${attempts.length} reviewer(s)`).pipe(
        Effect.tap((processes) => notes.stopped(attempts, processes)),
        Effect.mapError(faultOf)
      )
    )
  })
})
