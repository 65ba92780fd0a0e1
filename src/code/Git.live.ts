// Git.live: the repository, asked through git.
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import type { BranchName, CommitSha, Target } from "../run/Target.ts"
import { type AskingRun, Git, GitFailed, type Overview, type Repository, type TargetProblem } from "./Git.ts"
import type { Identity } from "../run/Identity.ts"
import { recovered } from "../platform/Note.ts"
import { nearest } from "../text/Phrases.ts"
import { asked } from "./Asked.live.ts"
import { type Base, baseOf, commitOf, mergeBaseOf, noBase } from "./Base.live.ts"
import type { CodeFailed } from "./CodeFailed.ts"
import { stagedApart } from "./Committed.live.ts"
import { freeze } from "./Freeze.live.ts"
import { changesIn, isolated } from "./Isolate.live.ts"
import { shownName } from "./Names.ts"
import { gitDirectoryAt, isChangedAfter, latin1Of, listIndex, submodulesIn } from "./Nested.live.ts"
import { comparedBranch, commitIdentity, isSameAs, isUnchanged, partlyKnown, presentOf } from "./Present.live.ts"
import { worktreeAt } from "./Repository.live.ts"
import { ours, parts, theirs } from "./SafeGit.live.ts"
import { entriesOf, type Store, treeOf, tryFiles } from "./Store.live.ts"
import { trustedTree, withInstructions } from "./Trusted.live.ts"

// The repository under review, asked through the git program.
// Git only reads; its optional locks, hooks and monitors are off, and `.git` is never written.

/** Turns a failure of the private repository into a failure of git. */
const asGit = (what: string) => <A, R>(answer: Effect.Effect<A, CodeFailed, R>): Effect.Effect<A, GitFailed, R> =>
  Effect.mapError(answer, ({ message, reason }) =>
    new GitFailed({
      what,
      reason: reason._tag === "Git"
        ? reason.fault
        : { _tag: "ProgramFailed", program: "git", status: null, said: message }
    }))

/** The URL of `origin`, else of the first remote, else null; asked of a git directory. */
const urlIn = Effect.fnUntraced(function*(gitDirectory: string) {
  const query = ["config", "-z", "--get-regexp", "^remote\\..*\\.url$"]
  const { out } = yield* theirs(gitDirectory, query, { accept: [0, 1] })
  const remotes = parts(Buffer.from(out, "latin1").toString()).map((entry) => {
    const end = entry.indexOf("\n")
    return { name: entry.slice("remote.".length, end - ".url".length), url: entry.slice(end + 1) }
  })
  return (remotes.find(({ name }) => name === "origin") ?? remotes[0])?.url ?? null
})

/** The same for the repository around a directory; null without one. */
export const remoteUrl = (cwd: string): Effect.Effect<string | null> =>
  Effect.catch(Effect.flatMap(worktreeAt(cwd), ({ gitDirectory }) => urlIn(gitDirectory)), () => Effect.succeed(null))

const repository = Effect.fn("Git.repository")(
  function*(cwd: string) {
    const { gitDirectory, top } = yield* worktreeAt(cwd)
    const url = yield* urlIn(gitDirectory)
    const suffix = url === null ? "noremote" : createHash("sha256").update(url).digest("hex").slice(0, 12)
    return { root: top, id: `${basename(top) || "root"}-${suffix}` } satisfies Repository
  },
  asGit("finding the repository")
)

/** The local branch that a misspelled name probably means, or null. */
const branchMeant = Effect.fnUntraced(function*(gitDirectory: string, branch: BranchName) {
  const { out } = yield* theirs(gitDirectory, ["for-each-ref", "--format=%(refname:short)", "refs/heads"])
  const names = Buffer.from(out, "latin1").toString().split("\n").filter((name) => name !== "" && name.length <= 64)
  return branch.length > 64 ? null : nearest(branch, names)
}, Effect.orElseSucceed(() => null))

const problemOfBase = Effect.fnUntraced(function*(store: Store, branch: BranchName, { commit, mergeBase }: Base) {
  if (commit === null) {
    const { gitDirectory } = store.repository
    const meant = yield* branchMeant(gitDirectory, branch)
    const remote = (yield* urlIn(gitDirectory)) !== null
    return { _tag: "BaseUnresolved", branch, remote, ...(meant === null ? {} : { meant }) } satisfies TargetProblem
  }
  return mergeBase === null ? { _tag: "NoCommonAncestor", branch } satisfies TargetProblem : null
})

const branchProblem = Effect.fnUntraced(function*(store: Store, branch: BranchName) {
  const base = yield* baseOf(store, branch)
  const problem = yield* problemOfBase(store, branch, base)
  if (problem !== null || base.mergeBase === null) return problem
  const frozen = yield* freeze(store, { treesOnly: true, having: [base.commit, base.mergeBase] })
  return (yield* isSameAs(store, frozen, base.mergeBase))
    ? { _tag: "SameAsBase", branch } satisfies TargetProblem
    : null
})

const commitProblem = Effect.fnUntraced(function*(store: Store, sha: CommitSha) {
  const commit = yield* commitOf(store, sha)
  if (commit === null) return { _tag: "CommitUnresolved", sha } satisfies TargetProblem
  const names = ["diff-tree", "-r", "-m", "--root", "--no-commit-id", "--name-only", commit]
  const { out } = yield* ours({ gitDirectory: store.dir }, names)
  return out.trim() === "" ? { _tag: "CommitEmpty", sha } satisfies TargetProblem : null
})

const problemOf = Effect.fnUntraced(function*(store: Store, target: Target, base: BranchName | null) {
  switch (target._tag) {
    case "Uncommitted":
      return (yield* isUnchanged(store, yield* freeze(store, { treesOnly: true })))
        ? { _tag: "NothingUncommitted" } satisfies TargetProblem
        : null
    case "Base":
      return yield* branchProblem(store, target.branch)
    case "PullRequest":
      return base === null ? { _tag: "BaseUnknown" } satisfies TargetProblem : yield* branchProblem(store, base)
    case "Commit":
      return yield* commitProblem(store, target.sha)
  }
})

/** What a target's review would see now. Never fails: what is unknown is part of the answer. */
const identity = Effect.fn("Git.identity")(
  function*(root: string, target: Target, against: BranchName | null, run?: AskingRun) {
    const branch = comparedBranch(target, against)
    const whole = Effect.fnUntraced(function*(store: Store) {
      const { base, identity } = yield* presentOf(store, target, branch, {
        treesOnly: true,
        rereads: run?.rereads === true
      })
      if (target._tag !== "PullRequest" || run?.obeysBase !== true) return identity
      return yield* withInstructions(store, identity, yield* trustedTree(store, target, base, null))
    })
    const found = asked(root, (store): Effect.Effect<Identity, CodeFailed> =>
      target._tag === "Commit"
        ? commitIdentity(store, target.sha)
        : Effect.catch(whole(store), (problem) => partlyKnown(store, target, branch, problem)), run?.id)
    return yield* Effect.catch(found, ({ message }) => Effect.succeed<Identity>({ _tag: "Unknown", why: message }))
  }
)

/** The overview of a repository that git cannot read, unless only the system refused a call. */
const nothingKnown = ({ message, reason }: CodeFailed): Overview => ({
  extent: null,
  absent: [],
  problem: reason._tag === "System" ? null : message
})

/** The changes committed since the base of a target, counted by git in the private repository. */
const extentOf = Effect.fnUntraced(function*(store: Store, target: Target, against: BranchName | null) {
  const branch = comparedBranch(target, against)
  const { head } = store.repository
  const { mergeBase } = branch === null ? noBase : yield* baseOf(store, branch)
  if (head === null || mergeBase === null) return null
  const plain = ["--shortstat", "--no-ext-diff", "--no-textconv", "--no-renames"]
  const { out } = yield* ours({ gitDirectory: store.dir }, ["diff", ...plain, mergeBase, head, "--"])
  const count = (pattern: RegExp) => Number(pattern.exec(out)?.[1] ?? 0)
  const files = count(/(\d+) files? changed/)
  const [added, removed] = [count(/(\d+) insertion/), count(/(\d+) deletion/)]
  return files === 0 ? null : { files, added, removed }
}, Effect.orElseSucceed(() => null))

const overview = Effect.fn("Git.overview")((root: string, target: Target, against: BranchName | null) =>
  asked(
    root,
    Effect.fnUntraced(function*(store: Store) {
      const top = latin1Of(store.repository.top)
      const paths = submodulesIn(yield* listIndex(store, latin1Of(store.repository.index)))
      const absent = paths.filter((path) => gitDirectoryAt(top, path) === null).map(shownName)
      const { head } = store.repository
      if (head !== null) yield* treeOf(store, head)
      return { extent: yield* extentOf(store, target, against), absent, problem: null } satisfies Overview
    })
  ).pipe(Effect.catch((failure) => Effect.succeed(nothingKnown(failure))))
)

/** The branch that is checked out in a worktree. */
const branchOf = Effect.fn("Git.branch")(
  function*(root: string) {
    const { gitDirectory } = yield* worktreeAt(root)
    const { out } = yield* theirs(gitDirectory, ["symbolic-ref", "--quiet", "HEAD"], { accept: [0, 1] })
    return /^refs\/heads\/(.+)$/m.exec(Buffer.from(out, "latin1").toString())?.[1] ?? null
  },
  Effect.orElseSucceed(() => null)
)

const changedAfter = Effect.fn("Git.changedAfter")(
  (root: string, moment: number) =>
    asked(
      root,
      Effect.fnUntraced(function*(store: Store) {
        const { tree } = yield* freeze(store, { treesOnly: true })
        const files = [...(yield* entriesOf(store, tree)).keys()]
        const isChanged = isChangedAfter(store.repository.top, moment, { has: () => true })
        return yield* tryFiles(store.dir, () => {
          const changed = files.filter(isChanged)
          if (changed.length > 0) return changed.map(shownName)
          // A file that was only there for a time, or is gone, leaves its mark on its directory.
          const directories = new Set(files.flatMap((name) => {
            const parts = name.split("/").slice(0, -1)
            return parts.map((_, i) => parts.slice(0, i + 1).join("/"))
          }))
          return [...["."], ...directories].filter(isChanged).map((name) => `${shownName(name)}/`)
        })
      })
    ),
  Effect.tapError(recovered("the changed files are not named")),
  Effect.orElseSucceed((): ReadonlyArray<string> => [])
)

/** The live layer. Needs the git program. */
export const layer = Layer.succeed(
  Git,
  Git.of({
    repository,
    commit: Effect.fn("Git.commit")((root, revision) =>
      asGit("resolving a name")(asked(root, (store) => commitOf(store, revision)))
    ),
    mergeBase: Effect.fn("Git.mergeBase")((root, one, other) =>
      asGit("comparing commits")(asked(root, (store) => mergeBaseOf(store, one, other)))
    ),
    branch: branchOf,
    exists: Effect.fn("Git.exists")((worktree: string) => Effect.sync(() => existsSync(worktree))),
    isIsolated: Effect.fn("Git.isIsolated")((place: string) => Effect.sync(() => existsSync(join(place, ".git")))),
    identity,
    stagedApart: Effect.fn("Git.stagedApart")((root) =>
      asGit("comparing the index")(
        asked(
          root,
          (store) => Effect.flatMap(freeze(store, { treesOnly: true }), (frozen) => stagedApart(store, frozen))
        )
      )
    ),
    changedAfter,
    overview,
    isolate: isolated,
    changesIn,
    baseProblem: Effect.fn("Git.baseProblem")((root, branch) =>
      asGit("looking at the target")(
        asked(root, (store) => Effect.flatMap(baseOf(store, branch), (base) => problemOfBase(store, branch, base)))
      )
    ),
    targetProblem: Effect.fn("Git.targetProblem")((root, target, base) =>
      asGit("looking at the target")(asked(root, (store) => problemOf(store, target, base)))
    )
  })
)
