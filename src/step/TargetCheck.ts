// TargetCheck: what a strict call checks before anything of a run is written.
import { Effect, Schema } from "effect"
import { Git } from "../code/Git.ts"
import { presentBase, presentIdentity } from "../code/PresentIdentity.ts"
import { exits } from "../platform/Failure.ts"
import { recovered } from "../platform/Note.ts"
import { TargetRefused } from "../review/Start.ts"
import { isUncommitted } from "../run/Identity.ts"
import { newestIn } from "../run/Owner.ts"
import type { Settings } from "../run/Settings.ts"
import type { WorkPlace } from "./RunOfWorktree.ts"

/** The worktree holds changes that commits of fixes would include. */
export class WorktreeNotClean extends Schema.TaggedError<WorktreeNotClean>()("WorktreeNotClean", {}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return "--commit-fixes needs a clean working tree [commit or stash your changes first]"
  }
}

/** Fails if the target of a strict call does not resolve or holds nothing to review. */
export const requireTarget = Effect.fn("TargetCheck.requireTarget")(
  function*({ strict, target }: Settings, { repository: { root: worktree } }: WorkPlace) {
    if (!strict) return
    const looked = Effect.gen(function*() {
      return yield* (yield* Git).targetProblem(worktree, target, yield* presentBase({ target, worktree }))
    })
    // If git cannot say, the call fails later, with a message about the target.
    const problem = yield* Effect.catchTag(
      looked,
      ["GitFailed", "GitHubFailed"],
      (error) => Effect.as(recovered("the target is looked at later")(error), null)
    )
    if (problem !== null) return yield* new TargetRefused({ reason: problem })
  }
)

/**
 * The same for a target without a run of this worktree: a run may be at its fixed point. `clean` says that the call
 * commits all changes.
 */
export const requireNewTarget = Effect.fn("TargetCheck.requireNewTarget")(
  function*(settings: Settings, place: WorkPlace, clean = false) {
    const { strict, target } = settings
    const { root: worktree } = place.repository
    if (!strict || (yield* newestIn(place.target, worktree)) !== null) return
    if (clean && isUncommitted(yield* presentIdentity({ target, worktree }))) return yield* new WorktreeNotClean()
    yield* requireTarget(settings, place)
  }
)
