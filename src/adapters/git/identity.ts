// identity: what a review of a target would see now: HEAD, the tree of the working copy, the base.
// The one rule: computed with an index and an object directory of our own; nothing in `.git` is written (S9).
import { copyFileSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import type { Identity } from "../../core/Event.ts"
import type { BranchName, Target } from "../../core/Target.ts"
import { whyNot } from "../exec.ts"
import { commitId, git } from "./run.ts"

const unknown = (why: string): Identity => ({ _tag: "Unknown", why: why.slice(0, 300) })

/** Copies the index for its cached file states; an older time makes git look closer at fresh entries, never less. */
const borrowIndex = (from: string, to: string): void => {
  try {
    const { mtimeMs } = statSync(from)
    copyFileSync(from, to)
    utimesSync(to, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000))
  } catch {
    // A repository without an index yet starts from an empty one.
  }
}

// Where a repository keeps them does not change while this process runs.
const places = new Map<string, { readonly objects: string; readonly index: string }>()

/** The object directory and the index of a worktree; fails with one line why not. */
const placesOf = Effect.fnUntraced(function*(root: string) {
  const known = places.get(root)
  if (known !== undefined) return known
  const paths = yield* git(root, ["rev-parse", "--git-path", "objects", "--git-path", "index"])
  const [objects, index] = paths.stdout.split("\n")
  if (paths.code !== 0 || objects === undefined || index === undefined) return yield* Effect.fail(whyNot("git", paths))
  const found = { objects: resolve(root, objects), index: resolve(root, index) }
  places.set(root, found)
  return found
})

/** The tree of the working copy with untracked files and without ignored ones; fails with one line why not. */
const worktreeTree = Effect.fnUntraced(function*(root: string) {
  const { index, objects } = yield* placesOf(root)
  const scratch = Effect.acquireRelease(
    Effect.try({ try: () => mkdtempSync(join(tmpdir(), "ooda-identity-")), catch: (e) => String(e) }),
    (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
  )
  return yield* Effect.scoped(Effect.gen(function*() {
    const dir = yield* scratch
    borrowIndex(index, join(dir, "index"))
    const env = {
      GIT_INDEX_FILE: join(dir, "index"),
      GIT_OBJECT_DIRECTORY: dir,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects
    }
    const added = yield* git(root, ["add", "--all", "--", ":/"], env)
    if (added.code !== 0) return yield* Effect.fail(whyNot("git", added))
    const tree = yield* git(root, ["write-tree"], env)
    return tree.code === 0 ? tree.stdout.trim() : yield* Effect.fail(whyNot("git", tree))
  }))
})

/** The identity of a target now. Never fails: what cannot be computed is Unknown and forces nothing. */
export const identityOf = Effect.fn("Git.identity")(function*(root: string, target: Target, base: BranchName | null) {
  if (target._tag === "Commit") {
    const head = yield* commitId(root, target.sha)
    return head === null ? unknown(`commit ${target.sha} is not in this repository`) : known(head, null, null)
  }
  const branch = target._tag === "Base" ? target.branch : base
  const [head, baseCommit, tree] = yield* Effect.all([
    commitId(root, "HEAD"),
    branch === null ? Effect.succeed(null) : commitId(root, branch),
    Effect.match(worktreeTree(root), {
      onFailure: (why) => ({ why, id: null }),
      onSuccess: (id) => ({ why: "", id })
    })
  ], { concurrency: "unbounded" })
  if (tree.id === null) return unknown(tree.why)
  return branch !== null && baseCommit === null
    ? unknown(`base branch ${branch} cannot be resolved`)
    : known(head, tree.id, baseCommit)
})

const known = (head: string | null, tree: string | null, base: string | null): Identity => ({
  _tag: "Known",
  head,
  tree,
  base
})
