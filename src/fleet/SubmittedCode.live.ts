// SubmittedCode.live: the code of a submission: its commits in the mirror, frozen in a private repository beside its
// tree, and what reviewers see. The tree itself is never read, because its reviewers could have changed it.
import { join } from "node:path"
import { Effect } from "effect"
import type { CodeFailed } from "../code/CodeFailed.ts"
import type { Frozen } from "../code/Frozen.ts"
import type { TargetProblem } from "../code/Git.ts"
import { readCommittedFile } from "../code/PlainFiles.live.ts"
import { frozenCommit, presentAt } from "../code/Present.live.ts"
import type { Repository } from "../code/Repository.live.ts"
import { ours } from "../code/SafeGit.live.ts"
import { scratchPath, type Store, treeOf, tryFiles } from "../code/Store.live.ts"
import { trustedTree, withInstructions } from "../code/Trusted.live.ts"
import { Environment } from "../platform/Environment.ts"
import { removeTree } from "../platform/Files.ts"
import { IdentityTimeout } from "../platform/GitCommand.ts"
import { DismissalsFailed, dismissalsName } from "../review/findings/Dismissals.ts"
import type { Target } from "../run/Target.ts"
import { placesOf, strangersVariables } from "./Mirror.live.ts"
import type { Pin, Submission } from "./Submission.ts"

/** The mirror as a repository without a person: no one's settings, ignore rules or attributes count. */
const repositoryOf = (mirror: string): Repository => ({
  top: mirror,
  gitDirectory: mirror,
  common: mirror,
  format: "sha1",
  objects: join(mirror, "objects"),
  index: join(mirror, "index"),
  head: null,
  on: null,
  // Strangers' links lead nowhere: they are laid out as files with the target as text, which git takes for the links.
  settings: new Map([["symlinks", "false"]]),
  excludes: "/dev/null",
  attributes: "/dev/null",
  isPartial: false
})

/** The private repository of a submission below `work`, which need not exist. */
export const storeOf = (work: string, submission: Submission): Store => {
  const { code, mirror } = placesOf(submission)
  const dir = join(work, code)
  return { dir, repository: repositoryOf(join(work, mirror)), idLength: 20, cache: join(dir, "stat-cache"), seen: null }
}

// The least time for git in milliseconds: a submission may be far larger than what a person works on.
const patience = 120_000

/** Runs an effect with the variables for git on a repository of strangers. */
export const amongStrangers = <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  use.pipe(
    Effect.updateService(Environment, (own) => strangersVariables(own, null, null)),
    Effect.updateService(IdentityTimeout, (limit) => Math.max(limit, patience))
  )

/** The same code with its links as files. */
const withoutLinks = Effect.fnUntraced(function*(store: Store, frozen: Frozen) {
  const links = frozen.index.filter((line) => line.startsWith("120000", 2))
  if (links.length === 0) return frozen
  const own = { gitDirectory: store.dir, index: scratchPath(store, "index") }
  yield* ours(own, ["read-tree", frozen.tree], { input: "" })
  const input = links.map((line) => `100644${line.slice("H 120000".length)}\0`).join("")
  yield* ours(own, ["update-index", "-z", "--index-info"], { input })
  const { out } = yield* ours(own, ["write-tree"], { input: "" })
  yield* tryFiles(store.dir, () => removeTree(own.index))
  return { ...frozen, tree: out.trim() } satisfies Frozen
})

/** The code of a submission's head as it is laid out. */
export const codeOf = (store: Store, { head }: Submission): Effect.Effect<Frozen, CodeFailed> =>
  Effect.flatMap(frozenCommit(store, head), (frozen) => withoutLinks(store, frozen))

/** The pin of a submission, computed from its commits. */
export const pinOf = Effect.fn("SubmittedCode.pinOf")(
  function*(store: Store, submission: Submission, { tree, worktree }: Pick<Pin, "tree" | "worktree">) {
    const { base: commit, branch, head, pr } = submission
    const target: Target = { _tag: "PullRequest", number: pr }
    const { base, frozen, identity: seen } = yield* presentAt(store, target, branch, head, commit)
    const identity = yield* withInstructions(store, seen, yield* trustedTree(store, target, base, null))
    const { mergeBase } = base
    const isSame = mergeBase !== null && (yield* treeOf(store, mergeBase)) === frozen.tree
    const problem: TargetProblem | null = mergeBase === null
      ? { _tag: "NoCommonAncestor", branch }
      : isSame
      ? { _tag: "SameAsBase", branch }
      : null
    const dismissals = yield* Effect.mapError(
      readCommittedFile(store, dismissalsName, commit),
      ({ reason }) => new DismissalsFailed({ reason })
    )
    return { submission, worktree, tree, identity, problem, dismissals } satisfies Pin
  },
  amongStrangers
)
