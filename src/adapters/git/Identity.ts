// Identity: what a review of a target would see now: HEAD, the tree of the working copy, the base.
// The one rule: computed with an index and an object directory of our own; nothing in `.git` is written.
import { copyFileSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve, sep } from "node:path"
import { Effect } from "effect"
import type { Identity } from "../../core/run/Identity.ts"
import type { BranchName, Target } from "../../core/run/Target.ts"
import { whyNot } from "../process/Exec.ts"
import { contentsOf } from "./Contents.ts"
import { commitId, git } from "./Command.ts"

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

/** The path of something of a repository; fails with one line why not. */
const placeOf = Effect.fnUntraced(function*(root: string, what: string) {
  const path = yield* git(root, ["rev-parse", "--git-path", what])
  return path.code === 0 ? resolve(root, path.stdout.replace(/\n$/, "")) : yield* Effect.fail(whyNot("git", path))
})

/** The object directory and the index of a worktree; fails with one line why not. */
const placesOf = (root: string) =>
  Effect.all({ objects: placeOf(root, "objects"), index: placeOf(root, "index") }, { concurrency: "unbounded" })

/** Where git looks for objects besides our own directory. A colon separates, so a path that has one is quoted. */
const alternates = (objects: string, inherited: string | undefined): string => {
  const quoted = objects.includes(":") ? `"${objects.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"` : objects
  return inherited === undefined || inherited === "" ? quoted : `${quoted}:${inherited}`
}

/**
 * A new directory outside the worktree, or it would be a part of what it is made for. TMPDIR may be missing, or lie
 * within: then the system's own places must do. Throws what the system throws.
 */
const scratchBeside = (root: string): string => {
  const top = realpathSync(root)
  let problem: unknown = new Error("every temporary directory lies inside the worktree")
  for (const place of [tmpdir(), "/tmp", "/var/tmp"]) {
    try {
      const real = realpathSync(place)
      if (real !== top && !real.startsWith(top.endsWith(sep) ? top : top + sep)) {
        return mkdtempSync(join(real, "ooda-identity-"))
      }
    } catch (error) {
      problem = error
    }
  }
  throw problem
}

/**
 * How all files are added, the next way where one fails: also outside a sparse checkout (git 2.34); without what cannot
 * be added at all, such as a repository in it that has no commit. What is left out then is out of every identity alike.
 */
const ways: ReadonlyArray<ReadonlyArray<string>> = [
  ["--sparse"],
  ["--sparse", "--ignore-errors"],
  ["--ignore-errors"]
]

/** Adds all files of the working copy to the index of `env`; fails with one line why not. */
const addAll = Effect.fnUntraced(function*(root: string, env: Readonly<Record<string, string>>) {
  let why = ""
  for (const way of ways) {
    // Without a pathspec, whose meaning the caller's environment could change: at the top it is all there is.
    const added = yield* git(root, ["add", "--all", ...way], env)
    if (added.code === 0 || (added.code === 1 && way.includes("--ignore-errors"))) return
    if (added.problem !== null) return yield* Effect.fail(whyNot("git", added))
    why ||= whyNot("git", added)
  }
  return yield* Effect.fail(why)
})

/** The tree of the working copy with untracked files and without ignored ones; fails with one line why not. */
const worktreeTree = Effect.fnUntraced(function*(root: string) {
  const { index, objects } = yield* placesOf(root)
  const scratch = Effect.acquireRelease(
    Effect.try({ try: () => scratchBeside(root), catch: (e) => String(e) }),
    (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
  )
  return yield* Effect.scoped(Effect.gen(function*() {
    const dir = yield* scratch
    borrowIndex(index, join(dir, "index"))
    const env = {
      GIT_INDEX_FILE: join(dir, "index"),
      GIT_OBJECT_DIRECTORY: dir,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates(objects, process.env["GIT_ALTERNATE_OBJECT_DIRECTORIES"])
    }
    yield* addAll(root, env)
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
    // A filter that is not installed or a broken submodule keep git from making a tree; a clean verdict still needs
    // something to be about.
    Effect.match(Effect.catch(worktreeTree(root), (why) => Effect.mapError(contentsOf(root), () => why)), {
      onFailure: (why) => ({ why, id: null }),
      onSuccess: (id) => ({ why: "", id })
    })
  ], { concurrency: "unbounded" })
  // A base that is not here (a clone of one branch) is null each time: the tree alone tells then.
  return tree.id === null ? unknown(tree.why) : known(head, tree.id, baseCommit)
})

const known = (head: string | null, tree: string | null, base: string | null): Identity => ({
  _tag: "Known",
  head,
  tree,
  base
})
