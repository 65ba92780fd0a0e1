// SnapshotFiles: the tree of a snapshot: every file that is tracked, or untracked and not ignored, byte by byte.
// What is too large or unreadable is left out and named. Other repositories are named, and never part of the tree.
import { lstatSync, type Stats, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { addAll } from "./Capture.ts"
import { type Listed, isRepository, listIndex, placeOf, repositoriesIn, unhide } from "./Index.ts"
import { must, trying } from "./Must.ts"
import type { Scratch } from "./Scratch.ts"
import { asTheyAre, type Entry, holdBytes } from "./SnapshotBytes.ts"

/** Untracked files of more bytes and untracked folders of so many files are left out. */
export const largestFile = 10 * 1024 * 1024
export const fullestFolder = 200

/** The files of one repository in a tree. Names are bytes. */
export interface Filed {
  readonly tree: string
  readonly entries: ReadonlyArray<Entry>
  /** Folders end with `/`. */
  readonly leftOut: ReadonlyArray<string>
  readonly repositories: ReadonlyArray<string>
  /** The real index. */
  readonly index: Listed
}

const listed = (root: string, args: ReadonlyArray<string>, { env }: Scratch) =>
  Effect.map(must(root, [...args, "-z"], env, ""), (text) => text.split("\0").filter((name) => name !== ""))

const untracked = ["ls-files", "--others", "--exclude-standard"]

/** What is untracked and not ignored; the name of a repository ends with `/`. */
export const othersOf = (root: string, scratch: Scratch) => listed(root, untracked, scratch)

/** The repositories in a worktree that are checked out, tracked or not. */
export const repositoriesOf = (root: string, index: Listed, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const nested = others.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1))
  return [...new Set([...repositoriesIn(index), ...nested])].sort().filter((name) => isRepository(root, name))
}

/** What a path is; null where nothing is there, also where a directory on the way is missing. */
export const factsAt = (root: string, name: string): Stats | null => {
  try {
    return lstatSync(placeOf(root, name), { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** The untracked files and folders that are too large. */
const tooLarge = Effect.fnUntraced(function*(root: string, scratch: Scratch, others: ReadonlyArray<string>) {
  const files = others.filter((name) => !name.endsWith("/"))
  const directories = files.length < fullestFolder ? [] : yield* listed(root, [...untracked, "--directory"], scratch)
  const counts = new Map(directories.filter((name) => name.endsWith("/")).map((name) => [name, 0]))
  for (const name of files) {
    for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) {
      const folder = name.slice(0, at + 1)
      const count = counts.get(folder)
      if (count !== undefined) counts.set(folder, count + 1)
    }
  }
  const folders = [...counts].filter(([, count]) => count >= fullestFolder).map(([name]) => name)
  const large = files.filter((name) =>
    !folders.some((folder) => name.startsWith(folder)) && (factsAt(root, name)?.size ?? 0) > largestFile
  )
  return [...folders, ...large]
})

/** Adds every file but those; returns what could not be added besides. */
const added = Effect.fnUntraced(function*(
  root: string,
  scratch: Scratch,
  leftOut: ReadonlyArray<string>,
  settings: ReadonlyArray<string>
) {
  const paths = leftOut.length === 0 ? null : join(scratch.dir, "paths")
  if (paths !== null) {
    const specs = [":/", ...leftOut.map((name) => `:(top,exclude,literal)${name.replace(/\/$/, "")}`)]
    yield* trying(() => writeFileSync(paths, Buffer.from(specs.join("\0"), "latin1")))
  }
  if (yield* addAll(root, scratch, { settings, paths })) return []
  // Some of them cannot be read. The index still holds the tracked ones as they once were.
  const stale = yield* listed(root, ["diff-files", "--name-only", "--ignore-submodules=all"], scratch)
  if (stale.length > 0) {
    const names = stale.map((name) => `${name}\0`).join("")
    yield* must(root, ["update-index", "--force-remove", "-z", "--stdin"], scratch.env, names)
  }
  const left = (yield* othersOf(root, scratch)).filter((name) => !name.endsWith("/"))
  return [...stale, ...left.filter((name) => !leftOut.some((one) => isWithin(name, one)))]
})

/** Whether a path is one that was left out, or lies in a folder that was. */
export const isWithin = (name: string, leftOut: string): boolean =>
  leftOut.endsWith("/") ? name.startsWith(leftOut) : name === leftOut

/** Adds paths that are there whatever git ignores and however large they are. */
const addAlso = Effect.fnUntraced(function*(
  root: string,
  scratch: Scratch,
  also: Iterable<string>,
  settings: ReadonlyArray<string>
) {
  const known = yield* listIndex(root, scratch)
  const has = new Set(known.text.split("\0").map((entry) => entry.slice(entry.indexOf("\t") + 1)))
  const wanted = [...also].filter((name) => !has.has(name) && isFile(root, name))
  if (wanted.length === 0) return known
  const command = [...settings, "update-index", "--add", "--replace", "-z", "--stdin"]
  yield* must(root, command, scratch.env, wanted.map((name) => `${name}\0`).join(""))
  return yield* listIndex(root, scratch)
})

/** Whether a file or a link lies at a path to which no link leads. */
const isFile = (root: string, name: string): boolean => {
  const facts = factsAt(root, name)
  if (facts === null || !(facts.isFile() || facts.isSymbolicLink())) return false
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) {
    if (factsAt(root, name.slice(0, at))?.isDirectory() !== true) return false
  }
  return true
}

/**
 * Makes the tree of the files in a worktree. `also` are paths that it has to hold if they are there, because an undo
 * would overwrite them. Fails with one line why not.
 */
export const fileAll = Effect.fnUntraced(function*(root: string, scratch: Scratch, also: Iterable<string>) {
  const index = yield* listIndex(root, scratch)
  yield* unhide(root, scratch, index)
  const others = yield* othersOf(root, scratch)
  const settings = yield* asTheyAre(root)
  const large = yield* tooLarge(root, scratch, others)
  const leftOut = [...large, ...(yield* added(root, scratch, large, settings))]
  const after = yield* addAlso(root, scratch, also, settings)
  const entries = yield* holdBytes(root, scratch, after, settings)
  const tree = yield* must(root, ["write-tree"], scratch.env)
  const held = new Set(entries.map(({ name }) => name))
  return {
    tree,
    entries,
    leftOut: leftOut.filter((name) => !held.has(name)),
    repositories: repositoriesOf(root, index, others),
    index
  } satisfies Filed
})
