// Git.live: the repository, asked through git.
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { type BranchName, Target } from "../run/Target.ts"
import { Git, GitFailed, type Repository, type TargetProblem } from "./Git.ts"
import type { ProgramFault } from "../platform/SystemFault.ts"
import { baseOf, commitOf, identityOf } from "./Identity.live.ts"
import { isolateTarget } from "./FrozenCopy.live.ts"
import { commitId, git, gitFault } from "../platform/GitCommand.ts"

// The repository under review, asked through the git program.
// Git only reads; its optional locks, hooks and monitors are off, and `.git` is never written.

/** The answer of a git command that must succeed, without its last newline. */
const ask = Effect.fnUntraced(function*(cwd: string, what: string, args: ReadonlyArray<string>) {
  const done = yield* git(cwd, args, {}, { instant: true })
  if (done.code !== 0) return yield* new GitFailed({ what, reason: gitFault(done) })
  return done.stdout.replace(/\n$/, "")
})

const unresolved = (reason: ProgramFault): GitFailed => new GitFailed({ what: "resolving a name", reason })

/** The remotes in the configuration. */
export const remotesOf = Effect.fnUntraced(function*(cwd: string) {
  const done = yield* git(cwd, ["config", "--null", "--get-regexp", "^remote\\..*\\.url$"], {}, { instant: true })
  return done.stdout.split("\0").filter((entry) => entry !== "").map((entry) => {
    const end = entry.indexOf("\n")
    return { name: entry.slice("remote.".length, end - ".url".length), url: entry.slice(end + 1) }
  })
})

/** The URL of `origin`, else of the first remote, else null. */
export const remoteUrl = (cwd: string): Effect.Effect<string | null> =>
  Effect.map(remotesOf(cwd), (remotes) => (remotes.find(({ name }) => name === "origin") ?? remotes[0])?.url ?? null)

const repository = Effect.fn("Git.repository")(function*(cwd: string) {
  const [root, url] = yield* Effect.all(
    [ask(cwd, "finding the repository", ["rev-parse", "--show-toplevel"]), remoteUrl(cwd)],
    { concurrency: "unbounded" }
  )
  const name = basename(root) || "root"
  const suffix = url === null ? "noremote" : createHash("sha256").update(url).digest("hex").slice(0, 12)
  return { root, id: `${name}-${suffix}` } satisfies Repository
})

const branchProblem = Effect.fnUntraced(function*(root: string, branch: BranchName) {
  const { commit, mergeBase } = yield* Effect.mapError(baseOf(root, branch), unresolved)
  if (commit === null) return { _tag: "BaseUnresolved", branch } satisfies TargetProblem
  if (mergeBase === null) return { _tag: "NoCommonAncestor", branch } satisfies TargetProblem
  const diff = yield* git(root, ["diff", "--quiet", mergeBase, "--"])
  return diff.code === 0 ? { _tag: "SameAsBase", branch } satisfies TargetProblem : null
})

const targetProblem = Effect.fn("Git.targetProblem")(function*(root: string, target: Target, base: BranchName | null) {
  switch (target._tag) {
    case "Uncommitted": {
      const status = yield* ask(root, "listing uncommitted changes", [
        "status",
        "--porcelain",
        "--no-renames",
        "--untracked-files=normal",
        "--ignore-submodules=none"
      ])
      return status === "" ? { _tag: "NothingUncommitted" } satisfies TargetProblem : null
    }
    case "Base":
      return yield* branchProblem(root, target.branch)
    case "PullRequest":
      return base === null ? { _tag: "BaseUnknown" } satisfies TargetProblem : yield* branchProblem(root, base)
    case "Commit": {
      if ((yield* commitId(root, target.sha)) === null) {
        return { _tag: "CommitUnresolved", sha: target.sha } satisfies TargetProblem
      }
      const names = yield* ask(root, "listing a commit's changes", [
        "diff-tree",
        "-r",
        "-m",
        "--root",
        "--no-commit-id",
        "--name-only",
        target.sha
      ])
      return names === "" ? { _tag: "CommitEmpty", sha: target.sha } satisfies TargetProblem : null
    }
  }
})

/** The branch that is checked out in a worktree. */
const branchOf = Effect.fn("Git.branch")(function*(root: string) {
  const done = yield* git(root, ["symbolic-ref", "--quiet", "HEAD"], {}, { instant: true })
  return /^refs\/heads\/(.+)$/m.exec(done.stdout)?.[1] ?? null
})

/** The live layer. Needs the git program. */
export const layer = Layer.succeed(
  Git,
  Git.of({
    repository,
    commit: Effect.fn("Git.commit")((root, revision) => Effect.mapError(commitOf(root, revision), unresolved)),
    branch: branchOf,
    exists: Effect.fn("Git.exists")((worktree: string) => Effect.sync(() => existsSync(worktree))),
    isIsolated: Effect.fn("Git.isIsolated")((place: string) => Effect.sync(() => existsSync(join(place, ".git")))),
    identity: identityOf,
    isolate: isolateTarget,
    targetProblem
  })
)
