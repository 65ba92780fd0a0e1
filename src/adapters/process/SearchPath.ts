// SearchPath: where programs are looked for: in the directories of PATH that lie outside the worktree.
// Whoever writes in a worktree, an agent or the author of a change, must not choose the programs that run on it.
import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import type { Variables } from "../../services/Environment.ts"

// What this program, the wrapper, git and codex start by name.
const helpers: ReadonlyArray<string> = [
  ...["sh", "bash", "env", "node", "git", "gh", "ssh", "gpg", "flock", "perl", "python3", "setsid", "bwrap", "rg"],
  ...["cat", "dd", "find", "grep", "mv", "rm", "sleep", "sync", "tail", "tr", "wc"]
]

/** The worktrees that a call concerns. A file system knows a directory by its number, however its path is spelled. */
export type Worktrees = ReadonlySet<string>

const orElse = <A>(fallback: A, look: () => A): A => {
  try {
    return look()
  } catch {
    return fallback
  }
}

const numberOf = (stats: Stats | undefined): string => stats === undefined ? "" : `${stats.dev}:${stats.ino}`

const numberAt = (path: string): string => numberOf(orElse(undefined, () => statSync(path)))

const upwards = (path: string): ReadonlyArray<string> =>
  dirname(path) === path ? [path] : [path, ...upwards(dirname(path))]

/**
 * The worktrees around directories; where there is no repository, the directory itself. Enclosing repositories count
 * as well, because an agent can make a directory of its worktree a repository. A home directory that is one encloses
 * nearly every program, so it counts only where the call is made in it.
 */
export const worktreesAround = (directories: ReadonlyArray<string>, { GIT_WORK_TREE, HOME }: Variables): Worktrees => {
  const wide = new Set([numberAt("/"), numberAt(HOME || "/")])
  const [first = "/"] = directories
  const named = GIT_WORK_TREE ? [resolve(first, GIT_WORK_TREE)] : []
  const found = [...directories, ...named].flatMap((directory) => {
    const path = orElse(directory, () => realpathSync(directory))
    const [inner, ...outer] = upwards(path).filter((one) => existsSync(join(one, ".git"))).map(numberAt)
    const narrow = (inner === undefined ? [numberAt(path)] : outer).filter((one) => !wide.has(one))
    return inner === undefined ? narrow : [inner, ...narrow]
  })
  return new Set(found.filter((one) => one !== ""))
}

/** Whether any step of an absolute path, links followed, lies in one of the worktrees or in a repository's `.git`. */
export const leadsInto = (worktrees: Worktrees, path: string): boolean => {
  const left = path.split("/")
  let at = "/"
  for (let links = 0; left.length > 0 && links < 40;) {
    const name = left.shift() ?? ""
    const next = name === ".." ? dirname(at) : join(at, name)
    const stats = orElse(undefined, () => lstatSync(next, { throwIfNoEntry: false }))
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

/** Whether a directory holds one of our helpers as a link into a worktree. */
const linksInto = (worktrees: Worktrees, directory: string): boolean =>
  helpers.map((name) => join(directory, name)).some((path) =>
    orElse(false, () => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) &&
    leadsInto(worktrees, path)
  )

/**
 * PATH without its relative entries and without those that a worktree around `directories` has a part in; undefined
 * where nothing is left, since an empty one would mean the working directory.
 */
export const searchPath = (variables: Variables, directories: ReadonlyArray<string>): string | undefined => {
  const worktrees = worktreesAround(directories, variables)
  const outside = (variables["PATH"] ?? "").split(delimiter).filter((one) =>
    one.startsWith("/") && !leadsInto(worktrees, one) && !linksInto(worktrees, one)
  )
  return outside.length === 0 ? undefined : outside.join(delimiter)
}
