// SearchPath: the directories of PATH in which programs are searched: those outside the worktree.
// An author of files in the worktree must not choose the programs that run on it.
import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs"
import { userInfo } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import type { Variables } from "./Environment.ts"

// The programs that this program, its wrapper, git and codex start by name.
const helpers: ReadonlyArray<string> = [
  ...["bwrap", "cat", "dd", "find", "flock", "gh", "git", "gpg", "grep", "mv", "node", "perl", "ps", "python3", "rm"],
  ...["setsid", "sleep", "sync", "tail", "tr", "wc"]
]

const orElse = <A>(fallback: A, look: () => A): A => {
  try {
    return look()
  } catch {
    return fallback
  }
}

// The numbers by which a file system identifies a directory, however its path is spelled.
const numberOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`
const numberAt = (path: string): string => orElse("", () => numberOf(statSync(path)))

const statsAt = (path: string) => orElse(undefined, () => lstatSync(path, { throwIfNoEntry: false }))

const upwards = (path: string): ReadonlyArray<string> =>
  dirname(path) === path ? [path] : [path, ...upwards(dirname(path))]

// Where tools are installed in a home directory. They belong to no project, even if that directory is a repository.
const ownTools: ReadonlyArray<string> = [
  ...[".asdf", ".bun", ".cargo", ".deno", ".fnm", ".linuxbrew", ".local", ".nix-profile", ".nodenv", ".npm-global"],
  ...[".nvm", ".pyenv", ".rbenv", ".volta", "bin"]
]

/** Directories that count as worktrees, by their numbers, each with the names directly in it that do not count. */
type Worktrees = ReadonlyMap<string, ReadonlyArray<string>>

/**
 * The worktrees around directories; without a repository, the directory itself. Enclosing repositories count too,
 * because an agent can turn a directory of its worktree into a repository. A home directory that is a repository
 * encloses nearly every program, so it counts only for calls made in it, and without the tools installed there.
 */
export const worktreesAround = (directories: ReadonlyArray<string>, variables: Variables): Worktrees => {
  const { GIT_WORK_TREE, HOME } = variables
  const home = numberAt(HOME || orElse("/", () => userInfo().homedir))
  const wide = [numberAt("/"), home]
  const [cwd = "/"] = directories
  const named = GIT_WORK_TREE ? [resolve(cwd, GIT_WORK_TREE)] : []
  const around = [...directories, ...named].flatMap((directory) => {
    const path = orElse(directory, () => realpathSync(directory))
    const [inner, ...outer] = upwards(path).filter((one) => existsSync(join(one, ".git")))
    const own = inner === undefined || numberAt(inner) === home ? [path] : []
    const narrow = [...own, ...outer].map(numberAt).filter((one) => !wide.includes(one))
    return inner === undefined ? narrow : [numberAt(inner), ...narrow]
  })
  const counted = [...around, ...named.map(numberAt).filter((one) => one === home)]
  return new Map(counted.filter((one) => one !== "").map((one) => [one, one === home ? ownTools : []]))
}

/** Whether any step of an absolute path, links followed, lies in one of the worktrees or in a repository's `.git`. */
export const leadsInto = (worktrees: Worktrees, path: string): boolean => {
  const left = path.split("/")
  let at = "/"
  let apart = worktrees.get(numberAt(at))
  for (let links = 0; left.length > 0 && links < 40;) {
    const name = left.shift() ?? ""
    if (name === "") continue
    if (apart?.includes(name) === false) return true
    const next = name === ".." ? dirname(at) : join(at, name)
    const stats = statsAt(next)
    if (stats === undefined) return false
    if (stats.isSymbolicLink()) {
      links += 1
      const target = orElse("", () => readlinkSync(next))
      if (target.startsWith("/")) at = "/"
      left.unshift(...target.split("/"))
    } else {
      if (name === ".git") return true
      at = next
    }
    apart = worktrees.get(numberAt(at))
  }
  return left.length > 0 || apart !== undefined
}

/**
 * PATH without its relative entries and those that lead into a worktree around `directories`. A directory whose helper
 * is a link into a worktree comes last, so that the helper is found elsewhere; if there is no other, it is left out.
 * Undefined if nothing is left, since an empty PATH would mean the working directory.
 */
export const searchPath = (variables: Variables, directories: ReadonlyArray<string>): string | undefined => {
  const worktrees = worktreesAround(directories, variables)
  const strays = (directory: string): ReadonlyArray<string> =>
    helpers.filter((name) =>
      statsAt(join(directory, name))?.isSymbolicLink() === true && leadsInto(worktrees, join(directory, name))
    )
  const outside = (variables["PATH"] ?? "").split(delimiter).filter((one) =>
    one.startsWith("/") && !leadsInto(worktrees, one)
  )
  const first = outside.filter((one) => strays(one).length === 0)
  const last = outside.filter((one) =>
    !first.includes(one) && strays(one).every((name) => first.some((other) => existsSync(join(other, name))))
  )
  return first.length === 0 ? undefined : [...first, ...last].join(delimiter)
}
