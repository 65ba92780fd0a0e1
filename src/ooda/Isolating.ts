// Isolating: what the reviewers of a new batch read: the worktree, or a private repository made of it.
// If several steps isolate at the same time, one makes the private repository, and the others wait for it.
import { Effect } from "effect"
import type { Settings } from "../core/loop/Settings.ts"
import type { BranchName } from "../core/run/Target.ts"
import { type Present, presentWith } from "../runs/PresentIdentity.ts"
import { currentBatch, refresh, type Run } from "../runs/Run.ts"
import { LogConflict } from "../services/EventLog.ts"
import { Git } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"

/**
 * What reviewers of the current batch will see, and in which private repository. The repository is made here if the
 * batch is isolated. `told` is the identity that was computed just now.
 */
export const inputOf = Effect.fn("Isolating.inputOf")(
  function*(run: Run, base: BranchName | null, { isolate, link }: Settings, told: Present | null) {
    const { target, worktree } = run.manifest
    if (!isolate) return { identity: (yield* presentWith(run.manifest, base, told)).identity }
    const { copy, identity, place } = yield* (yield* Git).isolate(worktree, currentBatch(run), { target, base, link })
    return { identity, isolated: place, copy }
  }
)

const unmoved = Effect.fnUntraced(function*(run: Run) {
  const { head } = yield* refresh(run)
  if (head.seq === run.head.seq) return
  const { directory } = (yield* RunStore).runPlaces(run.ref)
  return yield* new LogConflict({ path: directory, expected: run.head.seq, actual: head.seq })
})

/** Starts a batch alone where it is isolated. LogConflict where another process has committed meanwhile. */
export const alone = <A, E, R>(run: Run, { isolate }: Settings, use: Effect.Effect<A, E, R>) =>
  isolate
    ? RunStore.use(({ isolating }) => isolating(run.ref, Effect.andThen(unmoved(run), use)))
    : use
