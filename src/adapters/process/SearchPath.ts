// SearchPath: where programs are looked for: in the directories of PATH that lie outside the worktree.
// Whoever writes in a worktree, an agent or the author of a change, must not choose the programs that run on it.
import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import type { Variables } from "../../services/Environment.ts"

// What this program, its wrapper, git and codex start by name.
const helpers: ReadonlyArray<string> = [
  ...["bwrap", "cat", "dd", "find", "flock", "gh", "git", "gpg", "grep", "mv", "node", "perl", "python3", "rm"],
  ...["setsid", "sleep", "sync", "tail", "tr", "wc"]
]

const orElse = <A>(fallback: A, look: () => A): A => {
  try {
    return look()
  } catch {
    return fallback
  }
}

// A file system knows a directory by these numbers, however its path is spelled.
const numberOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`
const numberAt = (path: string): string => orElse("", () => numberOf(statSync(path)))

const statsAt = (path: string) => orElse(undefined, () => lstatSync(path, { throwIfNoEntry: false }))

const upwards = (path: string): ReadonlyArray<string> =>
  dirname(path) === path ? [path] : [path, ...upwards(dirname(path))]

/**
 * The worktrees around directories; where there is no repository, the directory itself. Enclosing repositories count
 * as well, because an agent can make a directory of its worktree a repository. A home directory that is one encloses
 * nearly every program, so it counts only where the call is made in it.
 */
export const worktreesAround = (directories: ReadonlyArray<string>, { GIT_WORK_TREE, HOME }: Variables) => {
  const wide = [numberAt("/"), numberAt(HOME || "/")]
  const named = GIT_WORK_TREE ? [resolve(directories[0] ?? "/", GIT_WORK_TREE)] : []
  return new Set([...directories, ...named].flatMap((directory) => {
    const path = orElse(directory, () => realpathSync(directory))
    const [inner, ...outer] = upwards(path).filter((one) => existsSync(join(one, ".git")))
    const narrow = (inner === undefined ? [path] : outer).map(numberAt).filter((one) => !wide.includes(one))
    return inner === undefined ? narrow : [numberAt(inner), ...narrow]
  }))
}

/** Whether any step of an absolute path, links followed, lies in one of the worktrees or in a repository's `.git`. */
export const leadsInto = (worktrees: ReadonlySet<string>, path: string): boolean => {
  const left = path.split("/")
  let at = "/"
  for (let links = 0; left.length > 0 && links < 40;) {
    const name = left.shift() ?? ""
    const next = name === ".." ? dirname(at) : join(at, name)
    const stats = statsAt(next)
    if (stats === undefined) return false
    if (stats.isSymbolicLink()) {
      links += 1
      const target = orElse("", () => readlinkSync(next))
      if (target.startsWith("/")) at = "/"
      left.unshift(...target.split("/"))
    } else {
      if (name === ".git" || worktrees.has(numberOf(stats))) return true
      at = next
    }
  }
  return left.length > 0
}

/**
 * PATH without its relative entries, those that lead into a worktree around `directories`, and those where a helper is
 * a link into one; undefined where nothing is left, since an empty one would mean the working directory.
 */
export const searchPath = (variables: Variables, directories: ReadonlyArray<string>): string | undefined => {
  const worktrees = worktreesAround(directories, variables)
  const strays = (path: string): boolean => statsAt(path)?.isSymbolicLink() === true && leadsInto(worktrees, path)
  const outside = (variables["PATH"] ?? "").split(delimiter).filter((one) =>
    one.startsWith("/") && !leadsInto(worktrees, one) && !helpers.some((name) => strays(join(one, name)))
  )
  return outside.length === 0 ? undefined : outside.join(delimiter)
}
