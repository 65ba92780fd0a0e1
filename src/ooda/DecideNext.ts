// DecideNext: gathers what a decision needs besides the log, and lets `core/loop` decide.
import { Effect } from "effect"
import { decide, needsIdentity } from "../core/loop/Decide.ts"
import { decideStrict, dependsOnPresent } from "../core/loop/StrictDecide.ts"
import type { Settings } from "../core/loop/Settings.ts"
import { noneWaived } from "../core/run/Cover.ts"
import { presentIdentity } from "../runs/PresentIdentity.ts"
import { Git } from "../services/Git.ts"
import { handoffPlaces } from "./Halt.ts"
import type { Recorded } from "./Record.ts"

/** The identity that a decision depends on; null where it depends on none. */
const identityFor = Effect.fnUntraced(function*({ completed, run: { manifest } }: Recorded, retries: number) {
  const { batch, strict, target, worktree } = manifest
  if (strict === undefined) {
    return batch._tag === "Started" && needsIdentity(manifest, retries)
      ? completed ?? (yield* (yield* Git).identity(worktree, target, batch.base))
      : null
  }
  if (!dependsOnPresent(manifest, retries)) return null
  // A pull request may have got another base meanwhile.
  return target._tag === "PullRequest" || completed === null ? yield* presentIdentity(manifest) : completed
})

/**
 * Decides what comes next for a run. `openedAt` is the last line that the invocation found. An identity takes long in a
 * large repository: it is computed only where the decision depends on it, and never where it was computed just now.
 */
export const decideNext = Effect.fn("DecideNext.decideNext")(
  function*(recorded: Recorded, openedAt: number, settings: Settings) {
    const { run } = recorded
    const { strict } = run.manifest
    const { ceiling, maxBatches, retries } = settings
    const identity = yield* identityFor(recorded, retries)
    const paths = yield* handoffPlaces(run)
    const context = { ceiling, retries, openedAt, identity, maxBatches, paths }
    return strict === undefined
      ? decide(run.manifest, context)
      : decideStrict(run.manifest, strict, { ...context, waived: noneWaived })
  }
)
