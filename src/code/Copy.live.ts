// Copy.live: the copy of frozen code that reviewers work in.
//
// Reviewers read a copy and never the worktree. It is made from one Frozen, at a path of its own, and nothing changes
// it while they read, so what they report is about exactly that code. Three things must hold in it.
//
// 1. Its files are the frozen ones, byte for byte. The private repository checks them out with attributes that switch
//    every conversion off. Names that git's index refuses, such as `.GIT`, are written here.
// 2. Git shows at least what it shows in the worktree, and runs nothing. So the copy has a git directory of ours: HEAD
//    and its branch, the base branch, a merge under way, the person's ignore rules, and the index with its conflicts
//    and absent files. It has no flag that hides a file, and only those settings that say how files look
//    (CopyGit.live.ts). A submodule gets a git directory too. Any other repository within the worktree gets none, and
//    its files are shown as untracked.
// 3. The change does not instruct its reviewers. The files that engines obey (Instructions.ts) have their trusted
//    version on disk. The index has the present version, and takes it for unchanged, so that every diff shows the
//    change. The price: a staged and an unstaged change of such a file look alike.
//
// If asked for, there are links to ignored directories such as `node_modules`. They lead into the worktree, are not
// frozen, and git ignores them.
//
// The index `.git/laid` lists the files as they were checked out, so that the next tree can be checked out over them.
// To see whether a copy is still what was made, its bytes are compared with the tree (`copyChanges`), never its stamps:
// git may write those into the index whenever a reviewer asks it for the status.
import { createHash } from "node:crypto"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync
} from "node:fs"
import { statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { makeDirectories, removeTree } from "../platform/Files.ts"
import { type CodeFailed, refused } from "./CodeFailed.ts"
import {
  type Base,
  blobIdAt,
  changeIndex,
  ignorePaths,
  isSafePath,
  isShort,
  layGit,
  type Part,
  partsOf,
  pathIn,
  states
} from "./CopyGit.live.ts"
import { personalRules } from "./Freeze.live.ts"
import { type Frozen, indexEntry, isAbsent } from "./Frozen.ts"
import { type IgnoreRules, isIgnored, parseRules } from "./Ignore.ts"
import { isInstruction } from "./Instructions.ts"
import { directoryOf, isWithin, type Name, shownName } from "./Names.ts"
import { brief } from "../text/Untrusted.ts"
import { foldsCase } from "./Repository.live.ts"
import { ours, parts as splitAnswer } from "./SafeGit.live.ts"
import { contentsById, entriesOf, type Entry, hexOf, objectId, type Store, type Tree, tryFiles } from "./Store.live.ts"
import { instructionsOf } from "./Trusted.live.ts"

/** The options of a copy, beside the code. */
export interface CopyOptions {
  /** The base branch's name, and its commit in the copy. */
  readonly base: Base | null
  /** The tree with the trusted instructions; null if the present ones count. */
  readonly trusted: string | null
  /** Patterns, as in ignore files, of ignored paths that are linked from the worktree. */
  readonly link: ReadonlyArray<string>
}

/** A copy, and how it differs from the tree that it was made from. */
export interface Copy {
  readonly place: string
  readonly tree: string
  /** What is on disk in place of the present instructions: the trusted file, or nothing (null). */
  readonly instructions: ReadonlyMap<Name, Entry | null>
  /** The links into the worktree. */
  readonly linked: ReadonlyArray<Name>
  /** The submodules with a git directory of ours. */
  readonly submodules: ReadonlyArray<Name>
  readonly refusedByGit: ReadonlyArray<Name>
  /** sha256 over what decides how git shows the files. */
  readonly shown: string
}

const laidIndex = (place: string): string => join(place, ".git/laid")
const isThere = (path: string | Buffer): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

// Files

/**
 * Makes the parent directories of a path of a copy. False if something else is in the way: a link there would lead out
 * of the copy.
 */
const isFree = (place: string, path: Name): boolean => {
  if (!isSafePath(path)) return false
  const directory = directoryOf(path)
  if (directory !== "") {
    const found = lstatSync(pathIn(place, directory), { throwIfNoEntry: false })
    if (found === undefined) {
      if (!isFree(place, directory)) return false
      mkdirSync(pathIn(place, directory))
    } else if (!found.isDirectory()) return false
  }
  return !isThere(pathIn(place, path))
}

/** Writes a file or link of a tree to a free path. Returns whether it could. */
const written = (place: string, path: Name, { mode }: Entry, content: Buffer): boolean => {
  if (!isFree(place, path)) return false
  if (mode === "120000") symlinkSync(content, pathIn(place, path))
  else writeFileSync(pathIn(place, path), content, { flag: "wx", mode: mode === "100755" ? 0o777 : 0o666 })
  return true
}

/** Removes a path of a copy, and the directories that are then empty. */
const removed = (place: string, path: Name): void => {
  rmSync(pathIn(place, path), { force: true })
  for (let directory = directoryOf(path); directory !== ""; directory = directoryOf(directory)) {
    try {
      rmdirSync(pathIn(place, directory))
    } catch {
      return
    }
  }
}

// Characters of a path in a message.
const mostShown = 120

/** Fails if a path is too long below the copy's place. */
const checkLengths = (place: string, paths: Iterable<Name>) => {
  const long = [...paths].find((path) => !isShort(place, path))
  return long === undefined ? Effect.void : Effect.fail(
    refused(
      `${brief(shownName(long), mostShown)}: its path is too long for a copy below ${place} ` +
        "[shorten it, have git ignore it, or name a shorter --state-root]"
    )
  )
}

const isRefused = ({ refusedByGit }: Pick<Frozen, "refusedByGit">) => (path: Name): boolean =>
  refusedByGit.some((refusal) => isWithin(path, refusal))

/** Checks the tree out into an empty place. */
const layFiles = Effect.fnUntraced(function*(store: Store, frozen: Frozen, tree: Tree, place: string) {
  const own = { gitDirectory: store.dir, worktree: place, index: laidIndex(place) }
  const odd = new Map([...tree].filter(([path]) => isRefused(frozen)(path)))
  if (odd.size === 0) yield* ours(own, ["read-tree", frozen.tree], { input: "" })
  else {
    const lines = [...tree].flatMap(([path, { id, mode }]) => odd.has(path) ? [] : [`${mode} ${id}\t${path}\0`])
    yield* ours(own, ["update-index", "-z", "--index-info"], { input: lines.join("") })
  }
  yield* ours(own, ["-c", "checkout.workers=0", "checkout-index", "-a", "-f", "-u", "-q"], { input: "" })
  const byId = yield* contentsById(store, odd.values())
  for (const [path, entry] of odd) {
    const content = byId.get(entry.id)
    if (!isSafePath(path) || content === undefined) return yield* refused(`a tree has the path ${path}`)
    yield* tryFiles(place, () => written(place, path, entry, content))
  }
})

// Instructions

/** Puts the trusted instructions on disk, and the present ones into the index. Returns what is on disk instead. */
const layInstructions = Effect.fnUntraced(function*(
  store: Store,
  frozen: Frozen,
  present: Tree,
  parts: ReadonlyArray<Part>,
  place: string,
  trusted: string
) {
  const fold = yield* tryFiles(place, () => isCaseFolded(place))
  const wanted = yield* instructionsOf(store, trusted, fold)
  const isPresent = (path: Name, entry: Entry | undefined) => {
    const now = present.get(path)
    return now !== undefined && now.id === entry?.id && now.mode === entry.mode
  }
  const replaced = [...present.keys()].filter((path) => isInstruction(path, fold) && !isPresent(path, wanted.get(path)))
  const missing = [...wanted].filter(([path, entry]) => !isPresent(path, entry))
  const unshown = replaced.find(isRefused(frozen))
  if (unshown !== undefined) {
    return yield* refused(
      `${shownName(unshown)}: engines take instructions from it, and git can show no change of such a name ` +
        "[rename it, or have git ignore it]"
    )
  }
  yield* checkLengths(place, missing.map(([path]) => path))
  const byId = yield* contentsById(store, missing.map(([, entry]) => entry))
  const owned = (part: Part, paths: ReadonlyArray<Name>) =>
    paths.filter((path) => !isRefused(frozen)(path) && ownerOf(parts, path) === part)
  // Git must add the present instructions as the person would, with their line ends.
  const added = new Map<Part, ReadonlyArray<Name>>()
  for (const part of parts) {
    yield* changeIndex(part, ["--add", "--replace"], owned(part, replaced))
    const same = yield* untrackedAsInHead(part, owned(part, replaced))
    yield* changeIndex(part, ["--force-remove"], [...same])
    added.set(part, owned(part, replaced).filter((path) => !same.has(path)))
  }
  const laid = yield* tryFiles(place, () => {
    for (const path of replaced) removed(place, path)
    return missing.filter(([path, entry]) => written(place, path, entry, byId.get(entry.id) ?? Buffer.alloc(0)))
  })
  for (const part of parts) {
    yield* changeIndex(part, ["--assume-unchanged"], added.get(part) ?? [])
    const absent = new Set(part.index.filter(isAbsent).map((line) => indexEntry(line).path))
    const gone = owned(part, laid.map(([path]) => path)).filter((path) => !present.has(path))
    yield* changeIndex(part, ["--force-remove"], gone.filter((path) => !absent.has(part.within(path))))
    yield* tryFiles(place, () => ignorePaths(part, gone))
  }
  return new Map<Name, Entry | null>([...replaced.map((path) => [path, null] as const), ...laid])
})

/**
 * The paths that are missing in the person's index but are in HEAD and, unchanged, in the part's index. Git must show
 * them as removed, so they leave that index.
 */
const untrackedAsInHead = Effect.fnUntraced(function*(part: Part, paths: ReadonlyArray<Name>) {
  const tracked = new Set(part.index.map((line) => indexEntry(line).path))
  const untracked = paths.filter((path) => !tracked.has(part.within(path)))
  if (untracked.length === 0 || part.head === null) return new Set<Name>()
  const { out } = yield* ours(part.own, ["diff-index", "--cached", "--name-only", "-z", part.head, "--"])
  const different = new Set(splitAnswer(out))
  return new Set(untracked.filter((path) => !different.has(part.within(path))))
})

const isCaseFolded = (place: string): boolean => {
  const other = join(place, ".GIT")
  return existsSync(other) && statSync(other).ino === statSync(join(place, ".git")).ino
}

/** The innermost part that a path lies in. */
const ownerOf = (parts: ReadonlyArray<Part>, path: Name): Part | undefined =>
  parts.find(({ prefix }) => isWithin(path, prefix))

// Links

/** How many directories deep a pattern reaches. */
const depthOf = (pattern: string): number => {
  const inner = pattern.replace(/\/$/, "")
  if (!inner.includes("/") || inner.includes("**")) return Infinity
  return inner.replace(/^\//, "").split("/").length
}

/** The ignored paths of the worktree that match the patterns. */
const ignoredPaths = Effect.fnUntraced(function*(store: Store, frozen: Frozen, patterns: ReadonlyArray<string>) {
  const { repository } = store
  const fold = foldsCase(repository)
  const named = [parseRules(Buffer.from(patterns.join("\n")).toString("latin1"), "", false)]
  const own = yield* personalRules(store, fold)
  const submodules = new Set(frozen.nested.filter(({ isSubmodule }) => isSubmodule).map(({ path }) => path))
  const found: Array<Name> = []
  const walk: (directory: Name, above: ReadonlyArray<IgnoreRules>, levels: number) => Effect.Effect<void> = Effect
    .fnUntraced(function*(directory, above, levels) {
      yield* Effect.yieldNow
      const text = frozen.rules.get(directory)?.followed ?? null
      const rules = text === null ? above : [...above, parseRules(text, directory, fold)]
      for (const entry of entriesIn(repository.top, directory)) {
        const path = directory === "" ? entry.name : `${directory}/${entry.name}`
        const isDirectory = entry.isDirectory()
        if (entry.name === ".git") continue
        if (isIgnored(rules, path, entry.name, isDirectory, fold)) {
          if (isIgnored(named, path, entry.name, isDirectory, false)) found.push(path)
        } else if (isDirectory && levels > 1) {
          yield* walk(path, submodules.has(path) ? own.slice(0, 1) : rules, levels - 1)
        }
      }
    })
  yield* walk("", own, Math.max(...patterns.map(depthOf)))
  return found
})

/** The entries of a directory; none if it cannot be read. */
const entriesIn = (root: string, directory: Name) => {
  try {
    return readdirSync(pathIn(root, directory), { withFileTypes: true, encoding: "latin1" })
  } catch {
    return []
  }
}

/** Links from the copy into the worktree, which git in the copy ignores. An instruction is never linked. */
const linkIgnored = (
  store: Store,
  parts: ReadonlyArray<Part>,
  place: string,
  ignored: ReadonlyArray<Name>
): ReadonlyArray<Name> => {
  const linked = ignored.filter((path) => !isInstruction(path, true)).filter((path) => isFree(place, path))
  for (const path of linked) symlinkSync(pathIn(store.repository.top, path), pathIn(place, path))
  for (const part of parts) {
    ignorePaths(part, linked.filter((path) => ownerOf(parts, path) === part))
  }
  return linked
}

// Making

/** The submodules with files that get no git directory in a copy, for example because their own cannot be read. */
const closedIn = ({ nested }: Frozen, parts: ReadonlyArray<Part>, tree: Tree): ReadonlySet<Name> => {
  const open = new Set(parts.map(({ prefix }) => prefix))
  // In a repository that git does not know, all files are shown as untracked anyway.
  const isShown = (path: Name): boolean =>
    nested.every((other) => other.path === path || !isWithin(path, other.path) || open.has(other.path))
  const closed = nested.filter(({ isSubmodule, path }) => isSubmodule && !open.has(path)).map(({ path }) => path)
    .filter(isShown)
  return new Set(closed.filter((path) => [...tree.keys()].some((name) => name.startsWith(`${path}/`))))
}

/** All of a copy but its files: its git directories, instructions and links. */
const dress = Effect.fnUntraced(
  function*(store: Store, frozen: Frozen, tree: Tree, place: string, options: CopyOptions) {
    const { base, link, trusted } = options
    const parts = partsOf(store, frozen, place)
    // Git shows a submodule that is not checked out as removed if its directory is missing.
    yield* tryFiles(place, () => {
      for (const { isSubmodule, path } of frozen.nested) {
        if (isSubmodule) mkdirSync(pathIn(place, path), { recursive: true })
      }
    })
    const closed = closedIn(frozen, parts, tree)
    const unread = [...closed].find((path) => frozen.gitDirectories.includes(`${path}/.git`))
    if (unread !== undefined) {
      return yield* refused(
        `submodule ${shownName(unread)}: its git directory cannot be read, so that no copy could show its changes ` +
          "[see that its .git is a plain file or a directory, on a branch, and that its name is UTF-8]"
      )
    }
    for (const part of parts) {
      yield* layGit(store, frozen, part, { base, closed, index: laidIndex(place), present: tree })
    }
    const instructions = trusted === null
      ? new Map<Name, Entry | null>()
      : yield* layInstructions(store, frozen, tree, parts, place, trusted)
    const ignored = link.length === 0 ? [] : yield* ignoredPaths(store, frozen, link)
    const linked = yield* tryFiles(place, () => linkIgnored(store, parts, place, ignored))
    const submodules = parts.map(({ prefix }) => prefix).filter((prefix) => prefix !== "")
    return {
      place,
      tree: frozen.tree,
      instructions,
      linked,
      submodules,
      refusedByGit: frozen.refusedByGit,
      shown: yield* shownBy(place, submodules)
    } satisfies Copy
  }
)

const probeBytes = 256 * 1024

/** Throws the system's error if a directory has no room left. */
const probeRoom = (dir: string): void => {
  const probe = join(dir, "probe")
  try {
    writeFileSync(probe, Buffer.alloc(probeBytes))
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Fails with one line that names the place without room, and leaves nothing there. */
const orNothing = (place: string) => <A>(make: Effect.Effect<A, CodeFailed>): Effect.Effect<A, CodeFailed> =>
  make.pipe(
    // Git's message does not name the place.
    Effect.catch((failure) =>
      Effect.andThen(
        failure.reason._tag === "Git" ? tryFiles(place, () => probeRoom(join(place, ".git"))) : Effect.void,
        Effect.fail(failure)
      )
    ),
    Effect.onError(() => Effect.ignore(tryFiles(place, () => removeTree(place))))
  )

/** Makes a copy of frozen code in the directory `into`, replacing what is there. Leaves nothing if it fails. */
export const makeCopy = Effect.fn("Copy.make")(
  function*(store: Store, frozen: Frozen, into: string, options: CopyOptions) {
    yield* tryFiles(into, () => {
      removeTree(into)
      makeDirectories(join(into, ".git"))
    })
    const tree = yield* entriesOf(store, frozen.tree)
    yield* checkLengths(into, tree.keys())
    yield* layFiles(store, frozen, tree, into)
    return yield* dress(store, frozen, tree, into, options)
  },
  (make, _store, _frozen, into) => orNothing(into)(make)
)

// Comparing

/** What a copy holds at a path: an entry, or a link into the worktree. */
const isAsLaid = (store: Store, place: string, path: Name, laid: Entry | "linked" | undefined): boolean => {
  const at = pathIn(place, path)
  const found = lstatSync(at)
  if (found.isSymbolicLink()) {
    const target = readlinkSync(at, "buffer")
    return laid === "linked"
      ? target.equals(Buffer.from(pathIn(store.repository.top, path)))
      : laid?.mode === "120000" && laid.id === hexOf(objectId(store, "blob", target))
  }
  if (laid === undefined || laid === "linked" || !found.isFile()) return false
  return laid.mode === ((found.mode & 0o100) === 0 ? "100644" : "100755") && laid.id === blobIdAt(store, at)
}

// The parts of a git directory that decide how git shows files. Objects need no check: refs and the index name their
// ids.
const decisive = [
  "HEAD",
  "config",
  "config.worktree",
  "info",
  "objects/info/alternates",
  "packed-refs",
  "refs",
  "shallow",
  ...states
]

/** sha256 over what decides how git shows the files of a copy: its git directories, and what their indexes list. */
const shownBy = Effect.fnUntraced(function*(place: string, submodules: ReadonlyArray<Name>) {
  const sum = createHash("sha256")
  const add = (path: string | Buffer): void => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    const content = found?.isFile() === true
      ? readFileSync(path)
      : found?.isDirectory() === true
      ? Buffer.from(readdirSync(path).sort().join("/"))
      : Buffer.from(found === undefined ? "" : "other")
    sum.update(`${content.length}:`).update(content)
    if (found?.isDirectory() === true) { for (const name of readdirSync(path).sort()) add(join(path.toString(), name)) }
  }
  for (const prefix of ["", ...submodules]) {
    const worktree = prefix === "" ? place : pathIn(place, prefix).toString()
    const gitDirectory = join(worktree, ".git")
    yield* tryFiles(worktree, () => {
      lstatSync(gitDirectory)
      for (const name of decisive) add(join(gitDirectory, name))
    })
    sum.update((yield* ours({ gitDirectory, worktree }, ["ls-files", "--stage", "-v", "-z"])).out, "latin1")
  }
  return sum.digest("hex")
})

/** The paths of a copy that are not directories, without git's own. */
const filesIn = function*(place: string, directory: Name, gits: ReadonlySet<Name>): Generator<Name> {
  for (const entry of entriesIn(place, directory)) {
    const path = directory === "" ? entry.name : `${directory}/${entry.name}`
    if (gits.has(path)) continue
    if (entry.isDirectory()) yield* filesIn(place, path, gits)
    else yield path
  }
}

/** Whether git or the system reported that something cannot be read. A git that never ran proves nothing. */
const isRefusal = ({ reason }: CodeFailed): boolean =>
  reason._tag !== "Git" || (reason.fault._tag === "ProgramFailed" && reason.fault.status !== null)

// Files that are checked in one go.
const atOnce = 64

/**
 * The paths where a copy is not what was laid out: files that were changed, added or removed, by their bytes, and
 * `.git` if git would show them otherwise. The targets of links are not checked.
 */
export const copyChanges = Effect.fn("Copy.changes")(function*(store: Store, copy: Copy) {
  const { instructions, linked, place, shown, submodules, tree } = copy
  const laid = new Map<Name, Entry | "linked">(yield* entriesOf(store, tree))
  for (const [path, entry] of instructions) {
    if (entry === null) laid.delete(path)
    else laid.set(path, entry)
  }
  for (const path of linked) laid.set(path, "linked")
  for (const [path, entry] of laid) if (entry !== "linked" && entry.mode === "160000") laid.delete(path)
  const gits = new Set([".git", ...submodules.map((path) => `${path}/.git`)])
  const changed: Array<Name> = []
  const check = (path: Name): boolean => {
    const entry = laid.get(path)
    laid.delete(path)
    try {
      return isAsLaid(store, place, path, entry)
    } catch {
      return false
    }
  }
  let looked = 0
  for (const path of filesIn(place, "", gits)) {
    if (!check(path)) changed.push(path)
    // Yields, so that other work of this process does not wait for a large copy.
    if (++looked % atOnce === 0) yield* Effect.yieldNow
  }
  const now = yield* Effect.catchIf(shownBy(place, submodules), isRefusal, () => Effect.succeed(""))
  return [...(now === shown ? [] : [".git"]), ...changed, ...laid.keys()].sort()
})

// Updating

/** Removes all that is not a file of the tree, except the index `laid`. */
const undress = ({ instructions, linked, place, submodules }: Copy): void => {
  for (const [path, entry] of instructions) if (entry !== null) removed(place, path)
  for (const path of linked) removed(place, path)
  for (const path of submodules) {
    rmSync(pathIn(place, `${path}/.git`), { recursive: true, force: true })
  }
  for (const name of readdirSync(join(place, ".git"))) {
    if (name !== "laid") rmSync(join(place, ".git", name), { recursive: true, force: true })
  }
}

/**
 * Turns a copy into one of another moment and moves it to `place`; the result is what `makeCopy` would make, but only
 * files that differ are written. Makes it anew if it cannot be sure of the old contents.
 */
export const updateCopy = Effect.fn("Copy.update")(
  function*(store: Store, copy: Copy, frozen: Frozen, place: string, options: CopyOptions) {
    const isOdd = copy.refusedByGit.length > 0 || frozen.refusedByGit.length > 0
    const isKnown = !isOdd && (yield* copyChanges(store, copy)).length === 0
    if (copy.place !== place) {
      yield* tryFiles(place, () => {
        removeTree(place)
        if (isKnown) renameSync(copy.place, place)
        else removeTree(copy.place)
      })
    }
    if (!isKnown) return yield* makeCopy(store, frozen, place, options)
    const updated = Effect.gen(function*() {
      yield* tryFiles(place, () => undress({ ...copy, place }))
      const own = { gitDirectory: store.dir, worktree: place, index: laidIndex(place) }
      const tree = yield* entriesOf(store, frozen.tree)
      yield* checkLengths(place, tree.keys())
      yield* ours(own, ["read-tree", "--reset", "-u", frozen.tree], { input: "" })
      return yield* dress(store, frozen, tree, place, options)
    })
    return yield* Effect.catch(updated, () => makeCopy(store, frozen, place, options))
  }
)
