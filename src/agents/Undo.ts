// Undo: puts the worktree of a run back to one of its snapshots, or lists them.
// It works in the worktree of the run alone, and never beside an agent or a reviewer that still works there.
import { Effect, Schema } from "effect"
import { beforeLastAgent } from "../core/agent/Snapshot.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { ownerOf } from "../runs/Owner.ts"
import { select, type Selector, type Where } from "../runs/SelectRun.ts"
import { Git } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"
import { SnapshotFailed, Snapshots } from "../services/Snapshots.ts"

const UndoReason = Schema.Union([
  Schema.TaggedStruct("Elsewhere", { run: Schema.String, worktree: Schema.String, exists: Schema.Boolean }),
  Schema.TaggedStruct("StillWorks", { run: Schema.String })
])

/** Nothing was undone, because of where or when it was asked for. */
export class UndoRefused extends Schema.TaggedError<UndoRefused>()("UndoRefused", { reason: UndoReason }) {
  override get message() {
    const { reason } = this
    if (reason._tag === "StillWorks") {
      return `an agent or a reviewer of run ${reason.run} still works [ooda-codex-review stop --run ${reason.run}]`
    }
    return reason.exists
      ? `run ${reason.run} is of another worktree; call this in ${reason.worktree}`
      : `the worktree of run ${reason.run} is gone: ${reason.worktree}`
  }
}

/** The run that a selector names, which has to be one of the worktree around the caller's directory. */
const ownRun = Effect.fnUntraced(function*(selector: Selector, where: Where) {
  const run = yield* select(selector, where)
  const git = yield* Git
  const owner = yield* ownerOf(run)
  const here = yield* Effect.option(git.repository(where.cwd))
  const root = here._tag === "Some" ? here.value.root : null
  if (owner._tag === "Worktree" && owner.path !== root) {
    const exists = yield* git.exists(owner.path)
    return yield* new UndoRefused({
      reason: { _tag: "Elsewhere", run: run.runId, worktree: owner.path, exists }
    })
  }
  return { run, worktree: root ?? (yield* git.repository(where.cwd)).root }
})

/** The snapshots of a run, oldest first. */
export const snapshotsOf = Effect.fn("Undo.snapshotsOf")(function*(selector: Selector, where: Where) {
  const { run, worktree } = yield* ownRun(selector, where)
  return { run, snapshots: yield* (yield* Snapshots).list(run, worktree) }
})

/** The snapshot to go back to by itself: where agents began, whatever was undone since. */
const lastBefore = Effect.fnUntraced(function*(run: RunRef, worktree: string) {
  const found = beforeLastAgent(yield* (yield* Snapshots).list(run, worktree))
  return found?.number ?? (yield* new SnapshotFailed({ reason: { _tag: "NoneOfRun", run: run.runId } }))
})

/** Puts the worktree back to a snapshot by its number; null for the one before the last agent worked. */
export const undo = Effect.fn("Undo.undo")(function*(selector: Selector, to: number | null, where: Where) {
  const { run, worktree } = yield* ownRun(selector, where)
  if ((yield* (yield* RunStore).look(run)).reviewersAlive) {
    return yield* new UndoRefused({ reason: { _tag: "StillWorks", run: run.runId } })
  }
  const number = to ?? (yield* lastBefore(run, worktree))
  return { run, ...(yield* (yield* Snapshots).restore(run, worktree, number)) }
})
