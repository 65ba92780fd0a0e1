// ReviewFiles: the files that the reviewers of tests leave, told from their script.
// The one rule: the streams are codex's own, so that the real verdict functions judge them.
import { Effect, Layer, Ref } from "effect"
import type { Digest } from "../../core/run/Event.ts"
import { fnv1a64 } from "../../core/findings/Fingerprint.ts"
import { type Evidence, ReviewFiles, ReviewFilesFailed } from "../../services/ReviewFiles.ts"
import type { SystemRefused } from "../../services/SystemFault.ts"
import type { Scripted } from "../Scripted.ts"
import { World } from "../World.ts"

/** A digest that tells texts apart, and claims no more. */
export const digestOf = (text: string): Digest => ({
  algorithm: "sha256",
  hex: fnv1a64(text).repeat(4),
  bytes: new TextEncoder().encode(text).length
})

/** Why a reviewer that was never started has no files. */
export const noSuchFile: SystemRefused = { _tag: "SystemRefused", code: "ENOENT", call: "open", said: "no such file" }

/** What a reviewer leaves. Its log is the whole transcript: standard error, then standard output. */
export const evidenceOf = ({ log, out }: Scripted): Evidence => ({
  logHead: log,
  logTail: log,
  out,
  session: { _tag: "Absent" },
  digests: { log: digestOf(log + out), out: digestOf(out), review: null }
})

/** The files of the reviewers that the world knows. */
export const layer: Layer.Layer<ReviewFiles, never, World> = Layer.effect(
  ReviewFiles,
  Effect.map(World, ({ reviewers }) =>
    ReviewFiles.of({
      evidence: Effect.fnUntraced(function*({ log, out }) {
        // A new attempt of a slot moves the files of the one before away, so the last one is meant.
        const reviewer = (yield* Ref.get(reviewers)).findLast((one) => one.attempt.files.out === out)
        return reviewer === undefined
          ? yield* new ReviewFilesFailed({ path: log, reason: noSuchFile })
          : evidenceOf(reviewer.scripted)
      })
    }))
)
