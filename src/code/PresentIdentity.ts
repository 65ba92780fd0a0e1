// PresentIdentity: what reviewers of a target would see if they began now.
import { Effect } from "effect"
import type { Identity } from "../run/Identity.ts"
import type { BranchName, Target } from "../run/Target.ts"
import { Git } from "./Git.ts"
import { GitHub } from "./GitHub.ts"
import { recovered } from "../platform/Note.ts"

/** What is reviewed, and where. */
export interface Reviewed {
  readonly target: Target
  readonly worktree: string
  /** The run that it concerns, if any. */
  readonly run_id?: string
  /** Whether the reviewers of that run read frozen copies, and the commit whose instructions count there. */
  readonly frozen?: true
  readonly trust_commit?: string
}

/** The branch that a target is compared with now, or null. For a pull request it is asked each time: it may change. */
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

/** The same, or the last known base of a pull request if the present one is unknown. */
export const baseOrLast = (reviewed: Reviewed, last: BranchName | null) =>
  Effect.catchTag(
    presentBase(reviewed),
    "GitHubFailed",
    (error) => Effect.as(recovered("the pull request's last known base is used")(error), last)
  )

/** What reviewers of a target would see, and the branch that it was compared with. */
export interface Present {
  readonly base: BranchName | null
  readonly identity: Identity
}

const computed = Effect.fnUntraced(function*(reviewed: Reviewed, base: BranchName | null, rereads: boolean) {
  const { frozen, run_id: id, target, trust_commit: trust, worktree } = reviewed
  const run = id === undefined ? undefined : { id, rereads, obeysBase: frozen === true && trust === undefined }
  return { base, identity: yield* (yield* Git).identity(worktree, target, base, run) } satisfies Present
})

/** What reviewers would see now, compared with `base`. Reuses an identity that was computed just now with that base. */
export const presentWith = Effect.fn("PresentIdentity.presentWith")(
  (reviewed: Reviewed, base: BranchName | null, known: Present | null = null) =>
    known !== null && known.base === base ? Effect.succeed(known) : computed(reviewed, base, false)
)

/** The same, from the bytes of every file: a file that is mapped into memory may change without its times. */
export const presentRead = Effect.fn("PresentIdentity.presentRead")(
  (reviewed: Reviewed, { base }: Present) => computed(reviewed, base, true)
)

/** The identity of a target now. */
export const presentIdentity = Effect.fn("PresentIdentity.presentIdentity")(function*(reviewed: Reviewed) {
  const { identity } = yield* presentWith(reviewed, yield* presentBase(reviewed))
  return identity
})
