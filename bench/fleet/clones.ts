// clones: the clones of a fleet whose reviewers read none: each is said to be there and to show what was submitted.
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { pinnedLayers as shown } from "../../src/fleet/PinnedCode.live.ts"
import { placesOf } from "../../src/fleet/Mirror.live.ts"
import { PinnedCode } from "../../src/fleet/PinnedCode.ts"
import { WorkingTrees } from "../../src/fleet/WorkingTrees.ts"

/** The trees below a directory. */
export const trees = (directory: string): Layer.Layer<WorkingTrees> =>
  Layer.succeed(WorkingTrees, {
    open: (submission) => Effect.succeed(join(directory, placesOf(submission).tree)),
    which: () => Effect.succeed("1"),
    check: () => Effect.void,
    remove: () => Effect.void
  })

/** What they show. */
export const code = (directory: string): Layer.Layer<PinnedCode> =>
  Layer.succeed(PinnedCode, {
    pin: (submission, tree) =>
      Effect.succeed({
        submission,
        worktree: join(directory, placesOf(submission).worktree),
        tree,
        identity: { _tag: "Known", head: submission.head, tree: submission.head, base: submission.base },
        problem: null,
        dismissals: ""
      }),
    shown
  })
