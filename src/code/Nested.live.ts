// Nested.live: indexes, and the repositories within a worktree, read without running git in them.
// Git lists an index from a copy in the private repository, so that none of their settings counts. The HEAD of a nested
// repository is read from its files.
import { copyFileSync, lstatSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { Effect } from "effect"
import { isWithin, type Name, placesIn } from "./Names.ts"
import { foldsCase, plainText } from "./Repository.live.ts"
import { ours, parts, utf8 } from "./SafeGit.live.ts"
import { hexOf, objectId, scratchPath, type Store, tryFiles } from "./Store.live.ts"

/** A path in bytes, for node's calls. */
export const pathOf = (latin1: string): string | Buffer =>
  /[\x80-\xff]/.test(latin1) ? Buffer.from(latin1, "latin1") : latin1

/** A path of text in bytes. */
export const latin1Of = (path: string): string => Buffer.from(path).toString("latin1")

/** The directories on the way to a path, the outermost first. */
export const directoriesTo = (path: Name): ReadonlyArray<Name> => {
  const names = path.split("/")
  return names.slice(1).map((_, i) => names.slice(0, i + 1).join("/"))
}

/**
 * Whether what is at a path of a worktree was changed after a moment (epoch milliseconds), by its time of change. Moving a
 * directory changes no time of what is in it: a directory that is not `known` counts too, and one whose names are older
 * than its own change; and any, for a path that differs from `since`, an earlier moment, but has an older time.
 */
export const isChangedAfter = (
  worktree: string,
  moment: number,
  known: Pick<ReadonlySet<Name>, "has">,
  since = Number.NEGATIVE_INFINITY
) => {
  const factsAt = (name: Name) => lstatSync(pathOf(`${latin1Of(worktree)}/${name}`), { throwIfNoEntry: false })
  const moved = new Map<Name, boolean>()
  const isMoved = (directory: Name): boolean => {
    const { ctimeMs = 0, mtimeMs = 0 } = factsAt(directory) ?? {}
    return ctimeMs > moment && (mtimeMs <= moment || !known.has(directory))
  }
  const isOfMoved = (directory: Name): boolean => {
    const found = moved.get(directory) ?? isMoved(directory)
    moved.set(directory, found)
    return found
  }
  const isChanged = (directory: Name): boolean => (factsAt(directory)?.ctimeMs ?? 0) > moment
  return (name: Name): boolean => {
    const { ctimeMs = since } = factsAt(name) ?? {}
    return ctimeMs > moment || directoriesTo(name).some(ctimeMs < since ? isChanged : isOfMoved)
  }
}

/**
 * Whether what is at a path of a worktree was somewhere before a moment (epoch milliseconds): a move changes no time of
 * birth. Where it `isReplaced`, only if nothing wrote it since, because the file of before may be written in place.
 */
export const isOlderThan = (worktree: string, moment: number) => (name: Name, isReplaced: boolean): boolean => {
  const facts = lstatSync(pathOf(`${latin1Of(worktree)}/${name}`), { throwIfNoEntry: false })
  if (facts === undefined || (isReplaced && facts.mtimeMs >= moment)) return false
  return facts.ctimeMs < moment || (facts.birthtimeMs > 0 && facts.birthtimeMs < moment)
}

const isPlain = (path: string | Buffer): boolean => {
  try {
    return lstatSync(path).isFile()
  } catch {
    return false
  }
}

/** Copies an index, and the shared one that it may be split from, into the private repository. */
const copied = (store: Store, from: string): string => {
  const to = scratchPath(store, "index")
  copyFileSync(pathOf(from), to)
  for (const name of readdirSync(pathOf(dirname(from)))) {
    const shared = pathOf(join(dirname(from), name))
    if (/^sharedindex\.[0-9a-f]+$/.test(name) && isPlain(shared)) copyFileSync(shared, join(store.dir, name))
  }
  return to
}

/** Uses a copy of an index (its path in bytes), which is removed afterwards; null for an empty one. */
export const withIndex = <A, E, R>(store: Store, from: string, use: (index: string | null) => Effect.Effect<A, E, R>) =>
  isPlain(pathOf(from))
    ? Effect.flatMap(
      tryFiles(store.dir, () => copied(store, from)),
      (copy) => Effect.ensuring(use(copy), Effect.sync(() => rmSync(copy, { force: true })))
    )
    : use(null)

/** The entries of an index by its path in bytes, a line each; none if the file is missing. */
export const listIndex = (store: Store, from: string) =>
  withIndex(store, from, (index) =>
    index === null
      ? Effect.succeed<ReadonlyArray<string>>([])
      : Effect.gen(function*() {
        const own = { gitDirectory: store.dir, index }
        const lines = parts((yield* ours(own, ["ls-files", "--stage", "-v", "-z"], { copyOf: from })).out)
        const empty = ` ${hexOf(objectId(store, "blob", new Uint8Array()))} 0\t`
        const isEmpty = (line: string) => line.startsWith(empty, 8)
        if (!lines.some(isEmpty)) return lines
        // Git lists an intent to add as an empty file; another command distinguishes the two.
        const nothing = hexOf(objectId(store, "tree", new Uint8Array()))
        const asked = [
          "diff-index",
          "--cached",
          "--name-only",
          "-z",
          "--no-renames",
          "--ita-invisible-in-index",
          nothing
        ]
        const staged = new Set(parts((yield* ours(own, asked)).out))
        const isIntent = (line: string) => isEmpty(line) && !staged.has(line.slice(line.indexOf("\t") + 1))
        return lines.map((line) => isIntent(line) ? `I${line.slice(1)}` : line)
      }))

/** The directory that the `.git` at a path leads to, in bytes; null if unknown. */
export const gitDirectoryAt = (root: string, path: Name): string | null => {
  const git = path === "" ? `${root}/.git` : `${root}/${path}/.git`
  try {
    if (lstatSync(pathOf(git)).isDirectory()) return git
  } catch {
    return null
  }
  const [, to] = /^gitdir: ([^]+?)[\r\n]*$/.exec(plainText(pathOf(git))) ?? []
  return to === undefined ? null : resolve(`${root}/${path}`, to)
}

const fullId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

const textAt = (path: string): string => plainText(pathOf(path)).trim()

/** The directory that a git directory shares with other worktrees of its repository, in bytes. */
const commonOf = (gitDirectory: string): string => resolve(gitDirectory, textAt(`${gitDirectory}/commondir`))

/** The commit of HEAD of a git directory, read from its files, or null; and where its objects lie. */
export const headAt = (gitDirectory: string): { readonly head: string | null; readonly objects: string } => {
  const shared = commonOf(gitDirectory)
  const objects = `${shared}/objects`
  const head = textAt(`${gitDirectory}/HEAD`)
  const [, ref] = /^ref: (refs\/[^\0]+)$/.exec(head) ?? []
  if (ref === undefined) return { head: fullId.test(head) ? head : null, objects }
  const loose = textAt(`${shared}/${ref}`)
  if (fullId.test(loose)) return { head: loose, objects }
  const packed = textAt(`${shared}/packed-refs`).split("\n").find((line) => line.endsWith(` ${ref}`)) ?? ""
  const id = packed.slice(0, packed.indexOf(" "))
  return { head: fullId.test(id) ? id : null, objects }
}

const isReal = (path: string): boolean => {
  try {
    return realpathSync.native(pathOf(path), "latin1") === path
  } catch {
    return false
  }
}

/**
 * Whether git names a place as the linked worktree `id` (its directory in bytes) in both directions, by plain paths; all
 * are absolute or, as git may write them, all relative.
 */
const isLinked = (id: string, place: string): boolean => {
  const says = (file: string, text: string): boolean => plainText(pathOf(file)) === `${text}\n`
  const isBoth = (there: string, back: string): boolean =>
    says(`${place}/.git`, `gitdir: ${there}`) && says(`${id}/gitdir`, `${back}/.git`)
  return says(`${id}/commondir`, "../..") && isReal(id) && isReal(place) && isPlain(pathOf(`${place}/.git`)) &&
    latin1Of(utf8(place)) === place && (isBoth(id, place) || isBoth(relative(place, id), relative(id, place)))
}

/**
 * The other worktrees of the repository that lie in this one and are no part of its code: neither an index (its names)
 * nor one of some commits has such a directory or a path below it. None if git cannot list a commit.
 */
export const otherWorktrees = Effect.fnUntraced(
  function*({ dir, repository }: Store, names: () => ReadonlyArray<Name>, commits: ReadonlyArray<string | null>) {
    const [top, linked] = [`${latin1Of(repository.top)}/`, `${latin1Of(repository.common)}/worktrees`]
    const ids = yield* tryFiles(dir, () => isReal(linked) ? readdirSync(pathOf(linked), "latin1") : [])
    const inside = ids.map((id) => `${linked}/${id}`).flatMap((id) => {
      // Git drops line ends and blanks at the end of such a file, so they mean another path.
      const [, to = ""] = /^(.+)\/\.git\n$/.exec(plainText(pathOf(`${id}/gitdir`))) ?? []
      const place = resolve(id, to)
      return place.startsWith(top) && !/\s$/.test(id) && isLinked(id, place) ? [place.slice(top.length)] : []
    })
    if (inside.length === 0) return new Set<Name>()
    const fold = (name: Name): Name => foldsCase(repository) ? utf8(name).normalize().toLowerCase() : name
    const known = names().map(fold)
    for (const commit of new Set(commits)) {
      if (commit === null) continue
      const asked = ["ls-tree", "-d", "-r", "-z", "--name-only", commit]
      const { code, out } = yield* ours({ gitDirectory: dir }, asked, { accept: [0, 1, 128] })
      if (code !== 0) return new Set<Name>()
      for (const name of parts(out)) known.push(fold(name))
    }
    return new Set(inside.filter((path) => !known.some((name) => isWithin(name, fold(path)))))
  }
)

// Questions about the names in an index during a walk. Most are asked only if something is ignored.

/** The names in an index, and others that count with them. */
export interface Tracked {
  readonly has: (path: Name) => boolean
  /** Whether a name lies below a directory. */
  readonly anyBelow: (directory: Name) => boolean
  readonly isSubmodule: (path: Name) => boolean
}

const lazily = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | null = null
  return () => (made ??= { value: make() }).value
}

/** The names in one index. */
export interface IndexNames extends Tracked {
  /** The place of a name in the order of git, or undefined. */
  readonly placeOf: (path: Name) => number | undefined
}

/** The name in a line of an index. */
export const nameIn = (line: string): Name => line.slice(line.indexOf("\t") + 1)

/** The names in an index. */
export const namesIn = (lines: ReadonlyArray<string>): ReadonlyArray<Name> => lines.map(nameIn)

/** The submodules that an index names. */
export const submodulesIn = (lines: ReadonlyArray<string>): ReadonlyArray<Name> =>
  namesIn(lines.filter((line) => line.startsWith("160000", 2)))

/** The questions for an index whose names begin with `prefix`. `more` are further names that count. */
export const trackedIn = (
  lines: ReadonlyArray<string>,
  prefix: Name,
  more: ReadonlyArray<Name> = []
): IndexNames => {
  const nameOf = (line: string): Name => prefix + nameIn(line)
  const sorted = lazily(() => {
    const own = lines.map(nameOf)
    const others = more.filter((name) => isWithin(name, prefix.slice(0, -1)))
    return others.length === 0 ? own : [...own, ...others].sort((a, b) => a < b ? -1 : a > b ? 1 : 0)
  })
  const places = lazily(() => placesIn(sorted()))
  const placeOf = (path: Name) => places()(path)
  const submodules = new Set(submodulesIn(lines).map((name) => prefix + name))
  return {
    placeOf,
    has: (path) => placeOf(path) !== undefined,
    anyBelow: (directory) => {
      const names = sorted()
      const below = `${directory}/`
      let [low, high] = [0, names.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((names[middle] ?? "") < below) low = middle + 1
        else high = middle
      }
      return names[low]?.startsWith(below) === true
    },
    isSubmodule: (path) => submodules.has(path)
  }
}

/** The names of two indexes. */
export const both = (one: Tracked, other: Tracked): Tracked => ({
  has: (path) => one.has(path) || other.has(path),
  anyBelow: (directory) => one.anyBelow(directory) || other.anyBelow(directory),
  isSubmodule: (path) => one.isSubmodule(path) || other.isSubmodule(path)
})
