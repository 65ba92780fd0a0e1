// RunOfWorktree: the run that a worktree continues, among the runs of all worktrees with its repository id.
// A damaged run of another worktree is skipped; a damaged run of this worktree is an error.
import { Effect } from "effect"
import { fold } from "../run/Manifest.ts"
import type { RunRef, TargetRef } from "../log/Refs.ts"
import { readRunLog } from "../run/RunLog.ts"
import type { LogDamaged, LogMissing } from "../log/EventLog.ts"
import type { Repository } from "../code/Git.ts"
import { RunStore } from "../run/RunStore.ts"
import { finishUndo } from "../code/Snapshots.ts"
import { ownerOf } from "../run/Owner.ts"
import type { Run } from "../run/Run.ts"
import { note, recovered } from "../platform/Note.ts"

/** Where an invocation works: the repository with its worktree, and the target in the store. */
export interface WorkPlace {
  readonly repository: Repository
  readonly target: TargetRef
}

/** Reads and folds a run. A log that cannot be read is an error unless it certainly belongs to another worktree. */
export const load = Effect.fn("RunOfWorktree.load")(function*(
  { repository }: Pick<WorkPlace, "repository">,
  ref: RunRef
) {
  const another = { _tag: "Another" } as const
  const read = yield* readRunLog(ref).pipe(
    Effect.catchTag(
      ["LogDamaged", "LogRewound", "LogTooNew"],
      (error) =>
        Effect.flatMap(
          ownerOf(ref),
          (owner) =>
            owner._tag === "Worktree" && owner.path !== repository.root
              ? Effect.as(recovered("another worktree's run is skipped")(error), null)
              : Effect.fail(error)
        )
    )
  )
  if (read === null) return another
  const manifest = fold(read.commits)
  if (manifest === null) return { _tag: "Unreadable" } as const
  return manifest.worktree === repository.root
    ? { _tag: "Found", run: { ref, manifest, head: read.head } satisfies Run } as const
    : another
})

const passedOver = (error: LogMissing | LogDamaged) =>
  Effect.as(recovered("a run without an owner is skipped")(error), { _tag: "Unreadable" } as const)

/** This worktree's newest run of a target, whatever `latest` says. */
const newestOf = Effect.fnUntraced(function*(located: WorkPlace) {
  for (const ref of yield* (yield* RunStore).runs(located.target)) {
    const found = yield* load(located, ref).pipe(
      // A run whose first line cannot be read belongs to no worktree. An older run may still belong to this worktree.
      Effect.catchTag("LogDamaged", (error) =>
        Effect.flatMap(
          ownerOf(ref),
          (owner) => owner._tag === "Worktree" ? Effect.fail(error) : passedOver(error)
        )),
      // The same for a run without a log. Another process may be creating it, so a later look could find this
      // worktree's.
      Effect.catchTag("LogMissing", passedOver)
    )
    if (found._tag === "Found") return found
  }
  return { _tag: "None" } as const
})

/** The run that this worktree resumes, or why there is none; `left` is the newest run if the pointer is gone. */
export const current = Effect.fn("RunOfWorktree.current")(function*(located: WorkPlace) {
  const latest = yield* (yield* RunStore).latest(located.target)
  if (latest._tag !== "Run") {
    const newest = yield* newestOf(located)
    return { _tag: latest._tag, left: newest._tag === "Found" ? newest.run : null } as const
  }
  const found = yield* load(located, latest.run)
  if (found._tag !== "Another") return found
  const newest = yield* newestOf(located)
  return newest._tag === "Found" ? newest : { _tag: "None", left: null } as const
}, Effect.tapError(({ message }) => note("the current run cannot be read", { error: message })))

/** The same as `current`, for a caller that reads the code next: an interrupted undo mixes two states of the code. */
export const currentAfterUndo = Effect.fnUntraced(function*(located: WorkPlace) {
  const found = yield* current(located)
  if (found._tag === "Found") yield* finishUndo(found.run.ref, found.run.manifest.worktree)
  return found
})
