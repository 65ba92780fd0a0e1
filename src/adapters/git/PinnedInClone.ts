// PinnedInClone: the code of a pull request as it is pinned, for somebody who stands in a clone of its repository.
import { Effect, Layer } from "effect"
import { Git, type GitFailed, type Repository } from "../../services/Git.ts"
import type { Pinned } from "../../services/Submissions.ts"
import { layer as pinned } from "./PinnedLayers.ts"

/**
 * The layers for what is pinned, the newest first, where `repository` is what the caller is in. The worktrees of a
 * store are taken to be there: in doubt a run is not over.
 */
export const layer = (pins: ReadonlyArray<Pinned>, repository: Effect.Effect<Repository, GitFailed>) => {
  const git = Layer.effect(
    Git,
    Effect.map(Git, (git) => ({ ...git, repository: () => repository, exists: () => Effect.succeed(true) }))
  )
  return Layer.provideMerge(git, pinned(pins))
}
