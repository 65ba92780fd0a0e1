// ReviewFiles: the files that the reviewers of tests leave, told from their script.
// The one rule: the streams are codex's own, so that the real verdict functions judge them.
import { Clock, Effect, Layer, Ref } from "effect"
import type { Digest } from "../../core/run/Event.ts"
import { fnv1a64 } from "../../core/findings/Fingerprint.ts"
import { attemptText, type ReviewRef, slotText } from "../../core/run/Refs.ts"
import { type Evidence, type Fate, ReviewFiles, ReviewFilesFailed } from "../../services/ReviewFiles.ts"
import { notShown } from "../../core/verdict/Reading.ts"
import type { SystemRefused } from "../../services/SystemFault.ts"
import type { Scripted } from "../Scripted.ts"
import { lives, type Reviewer, World } from "../World.ts"

/** A digest that tells texts apart but is not secure. */
export const digestOf = (text: string): Digest => ({
  algorithm: "sha256",
  hex: fnv1a64(text).repeat(4),
  bytes: new TextEncoder().encode(text).length
})

/** Why a reviewer that was never started has no files. */
export const noSuchFile: SystemRefused = { _tag: "SystemRefused", code: "ENOENT", call: "open", said: "no such file" }

/** What a reviewer leaves. Its log is the whole transcript: standard error, then standard output. */
export const evidenceOf = ({ log, out, usage }: Scripted): Evidence => ({
  logHead: log,
  logTail: log,
  out,
  session: { _tag: "Absent" },
  reading: notShown,
  digests: { log: digestOf(log + out), out: digestOf(out), review: null },
  ...(usage === undefined ? {} : { usage })
})

const exitStatus = ({ deadline, scripted, stoppedAt }: Reviewer): number =>
  deadline || stoppedAt !== null ? 143 : scripted.exit

/** The files of the reviewers that the world knows; a reviewer that was never started left none. */
export const layer: Layer.Layer<ReviewFiles, never, World> = Layer.effect(
  ReviewFiles,
  Effect.map(World, ({ reviewers }) => {
    const reviewerOf = Effect.fnUntraced(function*(review: ReviewRef) {
      // A new attempt of a slot moves the files of the one before away, so the last one is meant.
      const reviewer = (yield* Ref.get(reviewers)).findLast((one) => slotText(one.attempt) === slotText(review))
      return reviewer ?? (yield* new ReviewFilesFailed({ path: attemptText(review), reason: noSuchFile }))
    })
    const evidence = (review: ReviewRef) => Effect.map(reviewerOf(review), ({ scripted }) => evidenceOf(scripted))
    return ReviewFiles.of({
      evidence,
      stored: Effect.fnUntraced(function*(review) {
        const reviewer = yield* reviewerOf(review)
        const over = !lives(reviewer, yield* Clock.currentTimeMillis)
        const { attempt: { id }, line, scripted } = reviewer
        return {
          missing: [],
          status: over ? exitStatus(reviewer) : null,
          journal: { id, line, end: null },
          joined: true,
          evidence: evidenceOf(scripted)
        }
      }),
      said: evidence,
      fate: Effect.fnUntraced(function*(review) {
        const all = yield* Ref.get(reviewers)
        const reviewer = all.find((one) => attemptText(one.attempt) === attemptText(review))
        const now = yield* Clock.currentTimeMillis
        const fate: Fate = reviewer === undefined ? "Gone" : lives(reviewer, now) ? "Alive" : "Exited"
        return fate
      })
    })
  })
)
