// GitPinned: the git of those who drive runs of submissions: it answers what was pinned, and asks no git.
// What was pinned is told once by the live git, of a clone of the same commits; whoever reviews checks its own clone.
import { Effect, Layer } from "effect"
import { pinnedIdentity } from "../../core/fleet/Pinned.ts"
import { repoIdOf, type Submission } from "../../core/fleet/Submission.ts"
import type { Identity } from "../../core/run/Identity.ts"
import type { BranchName, Target } from "../../core/run/Target.ts"
import { Git, GitFailed, IsolationFailed, type TargetProblem } from "../../services/Git.ts"

/** A submission with its clone's place, the same on every machine, and what the live git told of it. */
export interface Pinned {
  readonly submission: Submission
  readonly tree: string
  readonly identity: Identity
  readonly problem: TargetProblem | null
}

const refused = (what: string, said: string): GitFailed =>
  new GitFailed({ what, reason: { _tag: "ProgramFailed", program: "git", status: null, said } })

/** The target of a submission. */
const targetOf = ({ pr }: Submission): Target => ({ _tag: "PullRequest", number: pr })

/** Pins what the live git tells of a submission's working tree. Fails where that shows anything else. */
export const pin = Effect.fn("GitPinned.pin")(function*(submission: Submission, tree: string) {
  const git = yield* Git
  const target = targetOf(submission)
  const told = yield* git.identity(tree, target, submission.branch)
  const identity = yield* Effect.mapError(
    Effect.fromResult(pinnedIdentity(told, submission)),
    (why) => refused("pinning a submission", why)
  )
  const problem = yield* git.targetProblem(tree, target, submission.branch)
  return { submission, tree, identity, problem } satisfies Pinned
})

/** The layer for the runs of one submission. */
export const layer = (pinned: Pinned): Layer.Layer<Git> => {
  const { identity, problem, submission, tree } = pinned
  const { base, branch, head, pr, repo } = submission
  const names = new Map<string, string>([["HEAD", head], [head, head], [branch, base], [base, base]])
  const isIt = (root: string, target: Target, against: BranchName | null): boolean =>
    root === tree && target._tag === "PullRequest" && target.number === pr && against === branch
  const other = `only pull request ${pr} against ${branch} is pinned here`

  return Layer.succeed(Git, {
    repository: (cwd) =>
      cwd === tree
        ? Effect.succeed({ root: tree, id: repoIdOf(repo) })
        : Effect.fail(refused("finding the repository", other)),
    commit: (root, revision) => Effect.succeed(root === tree ? names.get(revision) ?? null : null),
    exists: (worktree) => Effect.succeed(worktree === tree),
    isIsolated: () => Effect.succeed(false),
    identity: (root, target, against) =>
      Effect.succeed(isIt(root, target, against) ? identity : { _tag: "Unknown", why: other }),
    isolate: () => Effect.fail(new IsolationFailed({ why: "a pinned tree is a private repository already" })),
    targetProblem: (root, target, against) =>
      isIt(root, target, against) ? Effect.succeed(problem) : Effect.fail(refused("looking at the target", other))
  })
}
