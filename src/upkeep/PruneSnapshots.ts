// PruneSnapshots: removes snapshots with their run, and those of runs that are gone already.
// A snapshot is all that an undo has. So one stays as long as its run is there, in whichever state root.
import { Clock, Effect } from "effect"
import { type RunRef, sameRun } from "../core/run/Refs.ts"
import type { Where } from "../runs/SelectRun.ts"
import { Git } from "../services/Git.ts"
import { recovered } from "../services/Note.ts"
import { RunStore } from "../services/RunStore.ts"
import { Snapshots } from "../services/Snapshots.ts"
import type { Judged, PruneOptions } from "./Prune.ts"

/** Removes a run with its snapshots. Snapshots that cannot be removed now go with a later call. */
export const removeRun = Effect.fn("PruneSnapshots.removeRun")(function*(
  run: RunRef,
  worktree: string | null,
  isLatest: boolean
) {
  yield* (yield* RunStore).remove(run, { isLatest })
  if (worktree === null) return
  const forget = (yield* Snapshots).forget(run, worktree)
  if (yield* (yield* Git).exists(worktree)) yield* Effect.catch(forget, recovered("snapshots stay until a later call"))
})

/** The runs that are gone, and left snapshots in the repository of the caller's directory that are old enough. */
export const pruneGone = Effect.fn("PruneSnapshots.pruneGone")(
  function*({ age, dryRun, transcripts }: PruneOptions, { cwd }: Where) {
    if (transcripts === true) return []
    const snapshots = yield* Snapshots
    const store = yield* RunStore
    const { root } = yield* (yield* Git).repository(cwd)
    const now = yield* Clock.currentTimeMillis
    const gone: Array<Judged> = []
    for (const { at, run } of yield* snapshots.snapshotted(root)) {
      if (now - at < age || (yield* store.list(run.root, run.repoId)).some((one) => sameRun(one, run))) continue
      if (!dryRun) yield* snapshots.forget(run, root)
      gone.push({ run, age: now - at, kept: null, gone: true })
    }
    return gone
  },
  Effect.catch((error) => Effect.as(recovered("snapshots of runs that are gone stay")(error), []))
)
