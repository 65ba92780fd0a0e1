// GitPinned: the git of those who drive runs of submissions: it answers what was pinned, and asks no git.
// What was pinned is told once by the live git, of a clone of the same commits; whoever reviews checks its own clone.
import { Effect, Layer } from "effect"
import { pinnedIdentity } from "../../core/fleet/Pinned.ts"
import { repoIdOf, type Submission } from "../../core/fleet/Submission.ts"
import type { Identity } from "../../core/run/Identity.ts"
import type { BranchName, Target } from "../../core/run/Target.ts"
import { Dismissals } from "../../services/Dismissals.ts"
import { Git, GitFailed, IsolationFailed } from "../../services/Git.ts"
import type { Pinned } from "../../services/Submissions.ts"

const refused = (what: string, said: string): GitFailed =>
  new GitFailed({ what, reason: { _tag: "ProgramFailed", program: "git", status: null, said } })

const targetOf = ({ pr }: Submission): Target => ({ _tag: "PullRequest", number: pr })

/** Pins what the live git tells of a submission's clone at `tree`. Fails where that shows anything else. */
export const pin = Effect.fn("GitPinned.pin")(
  function*(submission: Submission, { tree, worktree }: Pick<Pinned, "tree" | "worktree">) {
    const git = yield* Git
    const target = targetOf(submission)
    const told = yield* git.identity(tree, target, submission.branch)
    const identity = yield* Effect.mapError(
      Effect.fromResult(pinnedIdentity(told, submission)),
      (why) => refused("pinning a submission", why)
    )
    const problem = yield* git.targetProblem(tree, target, submission.branch)
    const dismissals = yield* (yield* Dismissals).read(tree, { _tag: "Base", branch: submission.branch })
    return { submission, worktree, tree, identity, problem, dismissals } satisfies Pinned
  }
)

/**
 * The layer for the runs of one pull request, whose pins come the newest first. Their worktree shows the newest. A
 * batch reviews the clone of the head that was the newest when it began, which shows the same for ever.
 */
export const layer = (pins: ReadonlyArray<Pinned>): Layer.Layer<Git> => {
  const [newest] = pins
  const shownAt = (root: string): Pinned | undefined =>
    root === newest?.worktree ? newest : pins.find(({ tree }) => tree === root)
  const shown = (root: string, target: Target, against: BranchName | null): Pinned | null => {
    const pinned = shownAt(root)
    const { branch, pr } = pinned?.submission ?? {}
    return pinned !== undefined && target._tag === "PullRequest" && target.number === pr && against === branch
      ? pinned
      : null
  }
  const other = newest === undefined
    ? "nothing is pinned here"
    : `only pull request ${newest.submission.pr} against ${newest.submission.branch} is pinned here`

  return Layer.succeed(
    Git,
    Git.of({
      repository: Effect.fn("Git.repository")(function*(cwd) {
        if (newest === undefined || shownAt(cwd) === undefined) return yield* refused("finding the repository", other)
        return { root: newest.worktree, id: repoIdOf(newest.submission.repo) }
      }),
      commit: Effect.fn("Git.commit")((root, revision) => {
        const { base, branch, head } = shownAt(root)?.submission ?? {}
        const isBase = revision === branch || revision === base
        return Effect.succeed((isBase ? base : revision === "HEAD" || revision === head ? head : null) ?? null)
      }),
      branch: Effect.fn("Git.branch")(() => Effect.succeed(null)),
      exists: Effect.fn("Git.exists")((worktree) => Effect.succeed(worktree === newest?.worktree)),
      isIsolated: Effect.fn("Git.isIsolated")((place) => Effect.succeed(pins.some(({ tree }) => tree === place))),
      identity: Effect.fn("Git.identity")((root, target, against) =>
        Effect.succeed<Identity>(shown(root, target, against)?.identity ?? { _tag: "Unknown", why: other })
      ),
      isolate: Effect.fn("Git.isolate")(function*(root, _batch, { base, target }) {
        const pinned = shown(root, target, base)
        if (pinned === null) return yield* new IsolationFailed({ reason: { _tag: "Complained", said: other } })
        return { place: pinned.tree, identity: pinned.identity, copy: pinned.identity }
      }),
      targetProblem: Effect.fn("Git.targetProblem")(function*(root, target, against) {
        const pinned = shown(root, target, against)
        return pinned === null ? yield* refused("looking at the target", other) : pinned.problem
      })
    })
  )
}
