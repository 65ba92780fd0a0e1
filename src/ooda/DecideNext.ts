// DecideNext: gathers what a decision depends on beside the log, and asks `core/loop/Decide.ts` for it.
import { Effect } from "effect"
import { decide, needsIdentity } from "../core/loop/Decide.ts"
import type { Settings } from "../core/loop/Settings.ts"
import { Git } from "../services/Git.ts"
import { handoffPlaces } from "./Halt.ts"
import type { Recorded } from "./Record.ts"

/**
 * Decides what comes next for a run. `openedAt` is the last line that the invocation found. An identity takes long in a
 * large repository: it is computed only where the decision depends on it, and never where it was computed just now.
 */
export const decideNext = Effect.fn("DecideNext.decideNext")(
  function*({ completed, run }: Recorded, openedAt: number, settings: Settings) {
    const { manifest } = run
    const { batch, target, worktree } = manifest
    const { ceiling, maxBatches, retries } = settings
    const identity = batch._tag === "Started" && needsIdentity(manifest, retries)
      ? completed ?? (yield* (yield* Git).identity(worktree, target, batch.base))
      : null
    const paths = yield* handoffPlaces(run)
    return decide(manifest, { ceiling, retries, openedAt, identity, maxBatches, paths })
  }
)
