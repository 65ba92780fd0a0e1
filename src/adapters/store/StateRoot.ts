// StateRoot: the directory of a store: which one it is, whether it can be trusted, and that no review sees it.
import * as fs from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { Effect } from "effect"
import type { TargetRef } from "../../core/run/Refs.ts"
import { variable } from "../../services/Environment.ts"
import { StoreFailed, type StoreReason } from "../../services/RunStore.ts"
import { hasCode } from "../process/SystemError.ts"
import { makeDirectories } from "../process/Directories.ts"
import { repositoryDirectory, targetDirectory } from "./Layout.ts"
import { attempt } from "./SmallFile.ts"

/** Why a root in a shared temporary directory cannot be trusted, or null. */
const distrust = (path: string): StoreReason | null => {
  const root = fs.lstatSync(path, { throwIfNoEntry: false })
  if (root === undefined) return null
  if (root.isSymbolicLink()) return { _tag: "RootIsLink" }
  if (!root.isDirectory()) return { _tag: "RootIsNoDirectory" }
  if (root.uid !== process.getuid?.()) return { _tag: "RootOfAnotherUser" }
  return (root.mode & 0o022) === 0 ? null : { _tag: "RootOpenToOthers" }
}

/** The state root to use: `configured`, else OODA_STATE_ROOT, else the default one, which is checked. */
export const open = Effect.fn("RunStore.open")(function*(configured: string | null, cwd: string) {
  const named = configured ?? (yield* variable("OODA_STATE_ROOT"))
  if (named !== null) return resolve(cwd, named)
  const root = resolve(cwd, (yield* variable("TMPDIR")) ?? "/tmp", "ooda-codex-review")
  const reason = yield* attempt(root, () => distrust(root))
  return reason === null ? root : yield* new StoreFailed({ path: root, reason })
})

/** The real path of a path that need not exist yet. */
const real = (path: string): string => {
  try {
    return fs.realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}

/** Whether git now ignores everything in a directory: one that has other rules of the user's keeps them. */
const ignoreEverything = (directory: string): boolean => {
  const rules = join(directory, ".gitignore")
  try {
    fs.writeFileSync(rules, "*\n", { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
    return fs.readFileSync(rules, "utf8").trim() === "*"
  }
}

/**
 * Keeps a root inside the worktree out of what is reviewed. A directory that also holds the user's files is
 * never ignored itself, since untracked code in it would vanish from the review: only what is ours in it is.
 */
const hide = (target: TargetRef, worktree: string): void => {
  const { root } = target
  const [inside, top] = [real(root), real(worktree)]
  if (inside !== top && !inside.startsWith(top + sep)) return
  const ours = (name: string) => name === ".gitignore" || /-(noremote|[0-9a-f]{12})$/.test(name)
  if (inside === top || !fs.readdirSync(root).every(ours) || !ignoreEverything(root)) {
    ignoreEverything(repositoryDirectory(target))
  }
}

/** Makes a target's directory, and hides the root from the reviews of a worktree that it lies in. */
export const prepare = Effect.fn("RunStore.prepare")((target: TargetRef, worktree: string) =>
  attempt(targetDirectory(target), () => {
    makeDirectories(targetDirectory(target))
    hide(target, worktree)
  })
)
