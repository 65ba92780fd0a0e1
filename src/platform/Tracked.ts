// Tracked: whether git tracks files below a directory, which then come from the repository's authors.
// If git cannot tell for the worktree of the call, the files count as tracked.
import { existsSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { Effect } from "effect"
import { exec, whyNot } from "./Exec.ts"

/** The nearest directory with a `.git` at a path or above it, or null. */
export const worktreeAround = (path: string): string | null => {
  if (existsSync(join(path, ".git"))) return path
  return dirname(path) === path ? null : worktreeAround(dirname(path))
}

// In a hook these variables name another repository, or an index that is still being written.
const withoutHookVariables = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_PREFIX: undefined
}

/** Why a directory cannot be a state root because git tracks files in it, or null; `cwd` is the caller's. */
export const trackedRoot = Effect.fn("RunStore.trackedRoot")(function*(root: string, cwd: string) {
  const top = worktreeAround(root)
  if (top === null) return null
  const files = root === top ? ":/" : `:(top,literal)${relative(top, root)}`
  const args = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--", files]
  const done = yield* exec("git", args, { cwd: top, env: { GIT_OPTIONAL_LOCKS: "0", ...withoutHookVariables } })
  const [file = ""] = done.stdout.split("\0")
  if (done.code === 0) return file === "" ? null : { _tag: "RootTracked", file } as const
  // Anybody can make a broken repository in a shared directory, but it cannot bring files into a worktree.
  return top === worktreeAround(cwd) ? { _tag: "RootUntold", why: whyNot("git", done) } as const : null
})
