// PresentIdentity: what reviewers of a target would see if they began now.
import { Effect } from "effect"
import type { Target } from "../core/run/Target.ts"
import { Git } from "../services/Git.ts"
import { GitHub } from "../services/GitHub.ts"

/** What is reviewed, and where. */
interface Reviewed {
  readonly target: Target
  readonly worktree: string
}

/**
 * The branch that a target is compared with now, or null. That of a pull request is asked for each time: it may change.
 */
export const presentBase = Effect.fn("PresentIdentity.presentBase")(function*({ target, worktree }: Reviewed) {
  switch (target._tag) {
    case "PullRequest":
      return yield* (yield* GitHub).baseOf(worktree, target.number)
    case "Base":
      return target.branch
    case "Commit":
    case "Uncommitted":
      return null
  }
})

/** The identity of a target now. */
export const presentIdentity = Effect.fn("PresentIdentity.presentIdentity")(function*(reviewed: Reviewed) {
  const base = yield* presentBase(reviewed)
  return yield* (yield* Git).identity(reviewed.worktree, reviewed.target, base)
})
