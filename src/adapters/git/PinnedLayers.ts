// PinnedLayers: all that the program asks about code, answered by what was pinned of the submissions of one target.
// No agent works on a submission, so that there is nothing to snapshot and nothing to undo.
import { Effect, Layer } from "effect"
import { Dismissals, DismissalsFailed } from "../../services/Dismissals.ts"
import type { Git } from "../../services/Git.ts"
import { GitHub, GitHubFailed } from "../../services/GitHub.ts"
import { SnapshotFailed, Snapshots } from "../../services/Snapshots.ts"
import type { Pinned } from "../../services/Submissions.ts"
import { layer as git } from "./GitPinned.ts"

const nothingPinned = { _tag: "ProgramFailed", program: "git", status: null, said: "nothing is pinned here" } as const

const noSnapshots = Effect.fail(
  new SnapshotFailed({
    reason: { _tag: "GitComplained", why: "submitted code has no snapshots: no agent works on it" }
  })
)

/** The base branch of the newest submission. */
const gitHub = (newest: Pinned | undefined): Layer.Layer<GitHub> =>
  Layer.succeed(
    GitHub,
    GitHub.of({
      baseOf: Effect.fn("GitHub.baseOf")(function*(_root, number) {
        if (newest?.submission.pr !== number) return yield* new GitHubFailed({ number, reason: nothingPinned })
        return newest.submission.branch
      })
    })
  )

/** The dismissals of the base branch. Those of the change under review count for nothing, whoever asks for them. */
const dismissals = (newest: Pinned | undefined): Layer.Layer<Dismissals> => {
  const refused = new DismissalsFailed({ reason: nothingPinned })
  return Layer.succeed(
    Dismissals,
    Dismissals.of({
      read: Effect.fn("Dismissals.read")(function*(_worktree, from) {
        const { base, branch } = newest?.submission ?? {}
        const isBase = (from._tag === "Base" && from.branch === branch) ||
          (from._tag === "Revision" && (from.revision === base || from.revision === branch))
        return newest !== undefined && isBase ? newest.dismissals : yield* refused
      }),
      add: Effect.fn("Dismissals.add")(() => Effect.fail(refused))
    })
  )
}

const snapshots: Layer.Layer<Snapshots> = Layer.succeed(
  Snapshots,
  Snapshots.of({
    take: Effect.fn("Snapshots.take")(() => noSnapshots),
    list: Effect.fn("Snapshots.list")(() => Effect.succeed([])),
    gitChanges: Effect.fn("Snapshots.gitChanges")(() => noSnapshots),
    changed: Effect.fn("Snapshots.changed")(() => noSnapshots),
    diff: Effect.fn("Snapshots.diff")(() => noSnapshots),
    restore: Effect.fn("Snapshots.restore")(() => noSnapshots),
    finish: Effect.fn("Snapshots.finish")(() => Effect.succeed(null)),
    unfinished: Effect.fn("Snapshots.unfinished")(() => Effect.succeed(false)),
    snapshotted: Effect.fn("Snapshots.snapshotted")(() => Effect.succeed([])),
    forget: Effect.fn("Snapshots.forget")(() => Effect.void)
  })
)

/** The layers for the runs of one pull request, whose pins come the newest first. */
export const layer = (pins: ReadonlyArray<Pinned>): Layer.Layer<Git | GitHub | Dismissals | Snapshots> =>
  Layer.mergeAll(git(pins), gitHub(pins[0]), dismissals(pins[0]), snapshots)
