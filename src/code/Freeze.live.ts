// Freeze.live: freezes the code of a worktree: walks its directories, reads what was not read before, and writes what
// the private repository and the user's do not have.
//
// How it is fast: a stat cache says which files need no reading. A file that is not in it is opened without a stat
// before. On a first freeze most blobs are those of HEAD or the index: they are read and hashed like all others, but
// not written again if the user's repository has the object: git says which it has while the files are read. A file
// whose object it turns out to lack is read once more, and the walk is repeated if the file has changed since.
//
// Why it is right: the stat is taken before the bytes are read, so the next freeze sees a write in between. A file
// whose length differs from its stat is read again, three times at most. Directories, links and special files are
// recognized before they are opened, and nothing waits for a FIFO. A program that has a file mapped into memory can
// change it without its times: before a fixed point is reported every file is read, whatever the cache says.
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync
} from "node:fs"
import { readFileSync, rmSync, type Stats, statSync } from "node:fs"
import { createHash, hash } from "node:crypto"
import { Duration, Effect, Fiber } from "effect"
import { IdentityTimeout } from "../platform/GitCommand.ts"
import { exactly } from "../text/Phrases.ts"
import { CodeFailed, refused } from "./CodeFailed.ts"
import type { Frozen, NestedRepository, Skipped, SkipReason } from "./Frozen.ts"
import { type CarriedRules, carriedRules, type IgnoreRules, isIgnored, parseRules } from "./Ignore.ts"
import { isIgnoredInstruction, isInstruction } from "./Instructions.ts"
import { isWithin, type Name } from "./Names.ts"
import { both, gitDirectoryAt, headAt, latin1Of, listIndex, nameIn, namesIn, otherWorktrees } from "./Nested.live.ts"
import { type IndexNames, pathOf, type Tracked, trackedIn } from "./Nested.live.ts"
import { foldsCase, plainText } from "./Repository.live.ts"
import { ours } from "./SafeGit.live.ts"
import { loadCache, newRows, nothing, saveCache, type StatCache } from "./StatCache.live.ts"
import { entriesOf, hexOf, idOf, lendersNow, newPack, objectId, type Store } from "./Store.live.ts"
import { treeOf, tryFiles } from "./Store.live.ts"

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

const longestPath = 4096
const mostReads = 3
// A larger file is read in parts, and only if the user's repository has its object.
const mostInMemory = 64 << 20
const mostStored = 2 ** 30
// Git reads larger files of rules in a second or two; here a freeze of one would take minutes.
const mostRules = 1_000_000
// Milliseconds: a file that was written this shortly before it was read is read again the next time.
const fresh = 2000
// Milliseconds of work until signals are heard again.
const spell = 50

/** How to freeze. */
export interface FreezeOptions {
  /** The ignore rules of an earlier moment, and whether only agents have worked since. */
  readonly earlier?: { readonly rules: ReadonlyMap<Name, CarriedRules>; readonly byAgents: boolean }
  /** Names that count even if they are ignored: those in an earlier tree of the run. */
  readonly also?: ReadonlyArray<Name>
  /** Commits and trees beside HEAD: a directory that one of them has counts as no other worktree. */
  readonly having?: ReadonlyArray<string | null>
  /** Whether git directories are looked for in ignored directories too. */
  readonly deep?: boolean
  /** Whether the private repository keeps only trees, and no file's bytes. */
  readonly treesOnly?: boolean
  /** Whether every file is read, also those that the cache knows by their stat. */
  readonly rereads?: boolean
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown"

/** File calls that may fail: the result, or null after the reason was passed to `skip`. */
const orSkip = <A>(run: () => A, skip: (reason: SkipReason) => void): A | null => {
  try {
    return run()
  } catch (error) {
    const code = codeOf(error)
    // The file has been removed meanwhile.
    if (code === "ENAMETOOLONG") skip({ _tag: "NameTooLong" })
    else if (code !== "ENOENT") skip(code === "ELOOP" ? { _tag: "StillChanging" } : { _tag: "Unreadable", code })
    return null
  }
}

const kindOf = (stat: Stats): string =>
  stat.isFIFO() ? "FIFO" : stat.isSocket() ? "socket" : stat.isDirectory() ? "directory" : "device"

// Reading one file. The buffer is reused: use what was read before the next file.

/** What was read: the id in bytes, the stat from before, and the bytes if they fit into memory. */
interface Read {
  readonly id: string
  readonly stat: Stats
  readonly content: (() => Uint8Array) | null
}

const room = 32

/** A reader of files for one freeze, which hashes them as blobs of a format, until a time of `performance.now`. */
const blobReader = (root: string, format: "sha1" | "sha256", deadline: number) => {
  let buffer = Buffer.allocUnsafe(1 << 20)

  /** The bytes of an open file in `buffer` behind `room`; false if their number differs from the stat. */
  const fill = (fd: number, size: number): boolean => {
    if (size + room + 1 > buffer.length) buffer = Buffer.allocUnsafe(size + room + (1 << 20))
    let filled = 0
    while (filled <= size) {
      // One byte more than expected is requested: a short answer shows the end.
      const got = readSync(fd, buffer, room + filled, size + 1 - filled, null)
      filled += got
      if (got === 0 || filled === size) break
    }
    return filled === size
  }

  const inMemory = (fd: number, stat: Stats): Read | null => {
    if (!fill(fd, stat.size)) return null
    const head = `blob ${stat.size}\0`
    buffer.write(head, room - head.length, "latin1")
    const id = hash(format, buffer.subarray(room - head.length, room + stat.size), "binary")
    return { id, stat, content: () => buffer.subarray(room, room + stat.size) }
  }

  const inParts = (fd: number, stat: Stats): Read | "late" | null => {
    const sum = createHash(format).update(`blob ${stat.size}\0`)
    const part = Buffer.allocUnsafe(1 << 20)
    let size = 0
    for (let got = 1; got > 0 && size <= stat.size; size += got) {
      if (performance.now() > deadline) return "late"
      got = readSync(fd, part, 0, part.length, null)
      sum.update(part.subarray(0, got))
    }
    return size === stat.size ? { id: sum.digest("binary"), stat, content: null } : null
  }

  const once = (path: Name, skip: (reason: SkipReason) => void): Read | "again" | "late" | null => {
    const fd = openSync(pathOf(`${root}/${path}`), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) {
        skip({ _tag: "Special", kind: kindOf(stat) })
        return null
      }
      return (stat.size > mostInMemory ? inParts(fd, stat) : inMemory(fd, stat)) ?? "again"
    } finally {
      closeSync(fd)
    }
  }

  /** Reads a file that is no link; null if it is gone, or after the reason was passed to `skip`. */
  return (path: Name, skip: (reason: SkipReason) => void): Read | "late" | null => {
    for (let tries = 0; tries < mostReads; tries++) {
      const read = orSkip(() => once(path, skip), skip)
      if (read !== "again") return read
    }
    skip({ _tag: "StillChanging" })
    return null
  }
}

// Objects: what was read goes into a pack, unless it is there already or can be borrowed.

/** The ids (hex) of the trees below HEAD's, which git opens one by one to list; empty if one is missing. */
const treesBelow = Effect.fnUntraced(function*(store: Store, head: string) {
  const asked = ["ls-tree", "-d", "-r", "-t", "--object-only", head]
  const { code, out } = yield* ours({ gitDirectory: store.dir }, asked, { accept: [0, 1, 128], beside: true })
  return code === 0 ? out.split("\n") : []
})

/** What the user's repository may lend to a first freeze: the blobs that its index names, and HEAD's trees. */
interface Lending {
  /** The place in the index of a path, if the id (bytes) there is this one; and both at a place. */
  readonly placeOf: (id: string, path: Name) => number | undefined
  readonly at: (place: number) => readonly [id: string, path: Name]
  /** What git finds of it: blobs by their places, trees by their ids (bytes). */
  readonly found: Effect.Effect<
    { readonly isBlobAt: (place: number) => boolean; readonly trees: ReadonlySet<string> },
    CodeFailed
  >
}

/** Begins to ask git, which goes on beside the caller. */
const lendingOf = Effect.fnUntraced(
  function*(store: Store, index: ReadonlyArray<string>, { placeOf }: Pick<IndexNames, "placeOf">, head: string | null) {
    const ids = index.map((line) => line.slice(9, line.indexOf(" ", 9)))
    const blobs = ids.length === 0 ? "" : `${ids.join("\n")}\n`
    const answers = yield* Effect.forkChild(
      Effect.all([
        // A dot for each that git finds, and a line with the id of each that it does not.
        ours({ gitDirectory: store.dir }, ["cat-file", "--buffer", "--batch-check=."], { input: blobs }),
        head === null ? Effect.succeed([]) : treesBelow(store, head),
        head === null
          ? Effect.succeed([])
          : Effect.orElseSucceed(Effect.map(treeOf(store, head), (top) => [top]), () => [])
      ], { concurrency: 3 }),
      { startImmediately: true }
    )
    const bytes = idOf(ids.join(""))
    return {
      placeOf: (id, path) => {
        const place = placeOf(path)
        return place !== undefined && bytes.startsWith(id, place * store.idLength) ? place : undefined
      },
      at: (place) => [idOf(ids[place] ?? ""), nameIn(index[place] ?? "")],
      found: Effect.map(Fiber.join(answers), ([{ out }, below, top]) => {
        const lines = out === ".\n".repeat(ids.length) ? [] : out.split("\n")
        const missing = new Set(lines.flatMap((line) => line.endsWith(" missing") ? [line.slice(0, -8)] : []))
        return {
          isBlobAt: (place) => !missing.has(ids[place] ?? ""),
          trees: new Set([...top, ...below].map(idOf))
        }
      })
    } satisfies Lending
  }
)

/** A cache, or none if an object that it knows is gone: the user's repository may have lost what it lent. */
const believed = Effect.fnUntraced(function*(store: Store, cache: StatCache, lenders: string) {
  if (!cache.knowsObjects || cache.lenders === lenders) return cache
  const [input, asked] = [cache.lines(), ["cat-file", "--buffer", "--batch-check=%(objectname)"]]
  const { out } = yield* ours({ gitDirectory: store.dir }, asked, { input })
  return out === input ? cache : nothing()
})

/** One entry of a tree that is being built; the id in bytes. */
interface Built {
  readonly mode: "40000" | "100644" | "100755" | "120000"
  readonly name: Name
  readonly id: string
}

/** The content of a tree; its entries are in the order of trees. */
const treeContent = (entries: ReadonlyArray<Built>): Buffer =>
  Buffer.from(entries.map(({ id, mode, name }) => `${mode} ${name}\0${id}`).join(""), "latin1")

/** The order of a tree, and of an index: a directory's name ends with a slash. */
const inTreeOrder = (a: Dirent, b: Dirent): number => {
  const x = a.isDirectory() ? `${a.name}/` : a.name
  const y = b.isDirectory() ? `${b.name}/` : b.name
  return x === y ? 0 : x < y ? -1 : 1
}

/** The context of a directory: its ignore rules, the names in the index, and whether all other names are ignored. */
interface Inside {
  readonly stack: ReadonlyArray<IgnoreRules>
  readonly tracked: Tracked
  /** The index that git compares with: the worktree's, or a submodule's. */
  readonly shown: Tracked
  readonly isOut: boolean
}

/** Whether git's index refuses a name, or a link of that name. */
const isGitRefused = (name: Name, isLink: boolean): boolean =>
  (name !== ".git" && name.toLowerCase() === ".git") || (isLink && name.toLowerCase() === ".gitmodules")

/** The result of one walk, and files that could not be written after it, so that it must be repeated. */
interface Attempt {
  readonly frozen: Frozen
  readonly unwritten: ReadonlyMap<Name, SkipReason>
}

const attempt = Effect.fnUntraced(function*(
  store: Store,
  { also = [], deep = false, earlier, having = [], rereads = false, treesOnly = false }: FreezeOptions,
  left: ReadonlyMap<Name, SkipReason>,
  deadline: number
) {
  const { repository } = store
  const { format, head, on } = repository
  const root = latin1Of(repository.top)
  const fold = foldsCase(repository)
  const seen = treesOnly ? store.seen : null
  const lenders = yield* tryFiles(store.dir, () => lendersNow(store))
  const cache = yield* believed(store, loadCache(store, seen ?? store.cache), lenders)
  const index = yield* listIndex(store, latin1Of(repository.index))
  const tracked = trackedIn(index, "", also)
  const shown = also.length === 0 ? tracked : trackedIn(index, "")
  const worktrees = yield* otherWorktrees(store, () => [...namesIn(index), ...also], [head, ...having])
  const pack = yield* newPack(store)
  const read = blobReader(root, format, deadline)

  const rows = newRows()
  const skipped: Array<Skipped> = []
  const nested: Array<NestedRepository> = []
  const refusedByGit: Array<Name> = []
  const gitDirectories: Array<Name> = []
  const ignored: Array<Name> = []
  const unruled: Array<Name> = []
  const rules = new Map<Name, CarriedRules>()
  // The ids of trees, and of files and links without a row.
  const others = new Set<string>()
  // Written once all else is in the pack: large files, and others that the user's repository turns out to lack. Trees
  // wait where they may be HEAD's.
  const late = new Map<string, Name>()
  const trees = new Map<string, Uint8Array>()
  let untracked = false
  let misses = 0
  let misled = false

  const skip = (path: Name) => (reason: SkipReason): void => {
    skipped.push({ path, reason })
  }

  // The first freeze knows nothing yet, and most objects can be borrowed: git says which while the files are read.
  const isFirst = cache.isEmpty
  const lending = isFirst && !treesOnly ? yield* lendingOf(store, index, shown, head) : null
  const lent: Array<number> = []

  const keepTree = (id: string, content: Uint8Array): void => {
    others.add(id)
    if (cache.hasTree(id)) return
    if (isFirst || treesOnly) trees.set(id, content)
    else pack.add("tree", id, content)
  }

  /** Whether a blob is there, as far as is known yet. */
  const isBlobThere = (id: string, path: Name): boolean => {
    if (lending === null) return cache.hasBlob(id)
    const place = lending.placeOf(id, path)
    if (place !== undefined) lent.push(place)
    return place !== undefined
  }

  const keepBlob = ({ content, id, stat }: Read, path: Name): SkipReason | null => {
    const isStorable = stat.size <= mostStored
    if ((treesOnly && isStorable) || isBlobThere(id, path)) return null
    if (!isStorable) return { _tag: "TooLarge", bytes: stat.size }
    if (content === null) late.set(id, path)
    else pack.add("blob", id, content())
    return null
  }

  /** A file or link whose `stat` is known, with its row in the cache; or null for a file that is not in it. */
  const fileAt = (path: Name, stat: Stats | null, row: number | undefined): Read | "late" | null => {
    const before = stat === null || row === undefined ? undefined : cache.idIn(row, stat)
    if (stat !== null && row !== undefined && before !== undefined && !rereads) {
      rows.add(path, stat, before)
      return { id: before, stat, content: null }
    }
    misses++
    if (stat?.isSymbolicLink() === true) {
      const to = orSkip(() => readlinkSync(pathOf(`${root}/${path}`), "buffer"), skip(path))
      if (to === null) return null
      const link = { id: objectId(store, "blob", to), stat, content: () => to }
      others.add(link.id)
      keepBlob(link, path)
      return link
    }
    const now = Date.now()
    const found = read(path, skip(path))
    if (found === null || found === "late") return found
    if (before !== undefined && before !== found.id) misled = true
    const why = keepBlob(found, path)
    if (why !== null) {
      skip(path)(why)
      return null
    }
    const { ctimeMs, mtimeMs } = found.stat
    if (Math.max(mtimeMs, ctimeMs) + fresh < now) {
      rows.add(path, found.stat, found.id)
    } else others.add(found.id)
    return found
  }

  const look = (path: Name, skipping: (reason: SkipReason) => void): Stats | null =>
    orSkip(() => lstatSync(pathOf(`${root}/${path}`)), skipping)

  const quietly = () => undefined
  const inode = (name: string): number | undefined => look(name, quietly)?.ino
  // A link of that name is listed, but does not make the file system case-insensitive.
  const isListed = orSkip(() => readdirSync(pathOf(root)).includes(".GIT"), quietly) === true
  const isCaseBlind = !isListed && inode(".git") !== undefined && inode(".git") === inode(".GIT")
  const isGit = (name: Name): boolean => name === ".git" || (isCaseBlind && /^(\.git|git~1)[. ]*$/i.test(name))

  /** The rules to follow where `found` was found now; null for none. An agent's rules do not count, however many there are. */
  const carried = (place: Name, found: string | null | CodeFailed): string | null | CodeFailed => {
    if (found instanceof CodeFailed && earlier === undefined) return found
    const before = earlier?.rules.get(place)
    const one = found instanceof CodeFailed
      ? { followed: before?.followed ?? null, found: null }
      : earlier === undefined
      ? { followed: found, found }
      : carriedRules(before, found, earlier.byAgents)
    if (one.followed !== null || one.found !== null) rules.set(place, one)
    return one.followed
  }

  /** The text of the ignore file in a directory; null for none. */
  const ignoreFileIn = (directory: Name, hasFile: boolean): string | null | CodeFailed => {
    if (!hasFile || unruled.some((one) => isWithin(directory, one))) return null
    const path = directory === "" ? ".gitignore" : `${directory}/.gitignore`
    const stat = look(path, quietly)
    if (stat === null || !stat.isFile()) return null
    if (stat.size > mostRules) return tooManyRules(path)
    const found = read(path, quietly)
    return found === null || found === "late" || found.content === null
      ? null
      : Buffer.from(found.content()).toString("latin1")
  }

  const add = (entries: Array<Built>): string => {
    const content = treeContent(entries)
    const id = objectId(store, "tree", content)
    keepTree(id, content)
    return id
  }

  const personal: Array<IgnoreRules> = []
  for (const [place, path] of personalFiles(store)) {
    const text = carried(place, yield* Effect.catch(rulesText(path), Effect.succeed))
    if (text instanceof CodeFailed) return yield* text
    personal.push(parseRules(text ?? "", "", fold))
  }
  let heard = performance.now()

  /** The context of a directory that holds a repository or is a submodule; records what is known of it. */
  const insideNested = Effect.fnUntraced(function*(path: Name, inside: Inside, isSubmodule: boolean) {
    const gitDirectory = gitDirectoryAt(root, path)
    const { head, objects } = gitDirectory === null ? { head: null, objects: null } : headAt(gitDirectory)
    const list = gitDirectory === null
      ? Effect.succeed<ReadonlyArray<string>>([])
      : listIndex(store, `${gitDirectory}/index`)
    // If its index cannot be read, no rules of its own count.
    const index = yield* Effect.catch(list, () => Effect.sync(() => (unruled.push(path), [])))
    nested.push({ path, head, objects, index, isSubmodule })
    // What lies in a repository within is part of that one.
    for (const one of worktrees) if (isWithin(one, path)) worktrees.delete(one)
    const own = trackedIn(index, `${path}/`, also)
    return {
      stack: isSubmodule ? personal.slice(0, 1) : inside.stack,
      // A new `.git` in a directory does not remove names from the index around it.
      tracked: isSubmodule ? own : both(own, inside.tracked),
      shown: isSubmodule ? trackedIn(index, `${path}/`) : inside.shown,
      isOut: inside.isOut && !isSubmodule
    } satisfies Inside
  })

  /** Finds git directories below an ignored directory, by names alone. */
  const search = Effect.fnUntraced(function*(ignored: Name) {
    const left = [ignored]
    for (let at = left.pop(), seen = 1; at !== undefined; at = left.pop(), seen++) {
      if (performance.now() > deadline) return yield* Effect.never
      if (seen % 256 === 0) yield* Effect.yieldNow
      const place = pathOf(`${root}/${at}`)
      const all = worktrees.has(at)
        ? []
        : orSkip(() => readdirSync(place, { withFileTypes: true, encoding: "latin1" }), quietly)
      for (const one of all ?? []) {
        if (isGit(one.name)) gitDirectories.push(`${at}/${one.name}`)
        else if (one.isDirectory()) left.push(`${at}/${one.name}`)
      }
    }
  })

  /** The entries of a directory; null if it cannot be read. */
  const walk: (directory: Name, around: Inside) => Effect.Effect<Array<Built> | null, CodeFailed> = Effect.fnUntraced(
    function*(directory: Name, around: Inside) {
      const isSubmodule = around.tracked.isSubmodule(directory)
      const isUnseen = around.isOut && !isSubmodule && !around.tracked.anyBelow(directory)
      const list = orSkip(
        () => readdirSync(pathOf(`${root}/${directory}`), { withFileTypes: true, encoding: "latin1" }),
        isUnseen ? quietly : skip(directory)
      )
      const hasGit = directory !== "" && list?.some(({ name }) => isGit(name)) === true
      const isNested = isSubmodule || (hasGit && !around.isOut)
      const inside = isNested ? yield* insideNested(directory, around, isSubmodule) : around
      if (list === null) return null
      // Git's answers come in between.
      if (lending !== null && trees.size % 32 === 0) yield* Effect.yieldNow
      list.sort(inTreeOrder)
      const { isOut, shown, tracked } = inside
      const own = carried(
        directory,
        ignoreFileIn(directory, list.some((one) => one.name === ".gitignore" && one.isFile()))
      )
      if (own instanceof CodeFailed) return yield* own
      const stack = own === null ? inside.stack : [...inside.stack, parseRules(own, directory, fold)]
      const entries: Array<Built> = []
      for (const one of list) {
        // Matching rules may take long; the time limit of the freeze and signals apply here.
        const now = performance.now()
        if (now > deadline) return yield* Effect.never
        if (now > heard + spell) {
          yield* Effect.yieldNow
          heard = performance.now()
        }
        const { name } = one
        const path = directory === "" ? name : `${directory}/${name}`
        if (isGit(name)) {
          if (directory !== "") gitDirectories.push(path)
          continue
        }
        if (path.length > longestPath) {
          skip(path)({ _tag: "NameTooLong" })
          continue
        }
        // A file that is not in the cache is opened without a stat before.
        const row = one.isFile() ? cache.rowOf(path) : undefined
        const isSeen = !one.isFile() || row !== undefined
        const isDirectory = one.isDirectory()
        const stat = isSeen && !isDirectory ? look(path, skip(path)) : null
        if (isSeen && !isDirectory && stat === null) continue
        const isIgnored_ = isOut || (stack.length > 0 && isIgnored(stack, path, name, isDirectory, fold))
        const isKept = !isIgnored_ ||
          (isDirectory ? tracked.isSubmodule(path) || tracked.anyBelow(path) : tracked.has(path))
        if (!isKept) {
          if (isIgnoredInstruction(path, fold) && (!isOut || isInstruction(directory, fold))) ignored.push(path)
          if (deep && isDirectory) yield* search(path)
          continue
        }
        if (isDirectory) {
          if (worktrees.has(path)) continue
          const inner = yield* walk(path, { stack, tracked, shown, isOut: isIgnored_ })
          if (inner === null || inner.length === 0) continue
          if (isGitRefused(name, false)) refusedByGit.push(path)
          entries.push({ mode: "40000", name, id: add(inner) })
          continue
        }
        if (stat !== null && !stat.isFile() && !stat.isSymbolicLink()) {
          skip(path)({ _tag: "Special", kind: kindOf(stat) })
          continue
        }
        const why = left.get(path)
        if (why !== undefined) {
          skip(path)(why)
          continue
        }
        const found = fileAt(path, stat, row)
        // The time limit of the freeze is exceeded.
        if (found === "late") return yield* Effect.never
        if (found === null) continue
        if (!untracked && !shown.has(path)) untracked = true
        if (isGitRefused(name, found.stat.isSymbolicLink())) refusedByGit.push(path)
        const isProgram = (found.stat.mode & 0o100) !== 0
        entries.push({
          mode: found.stat.isSymbolicLink() ? "120000" : isProgram ? "100755" : "100644",
          name,
          id: found.id
        })
      }
      return entries
    }
  )

  const top = (yield* walk("", { stack: personal, tracked, shown, isOut: false })) ?? []
  const tree = hexOf(add(top))
  // Without blobs, git is asked only if the tree is not HEAD's.
  if (treesOnly && head !== null && tree === (yield* treeOf(store, head))) trees.clear()
  const asksTrees = treesOnly && !cache.knowsObjects && head !== null && trees.size > 0
  let there: ReadonlySet<string> = new Set(asksTrees ? (yield* treesBelow(store, head)).map(idOf) : [])
  if (lending !== null) {
    const found = yield* lending.found
    there = found.trees
    for (const place of lent) if (!found.isBlobAt(place)) late.set(...lending.at(place))
  }
  const unwritten = new Map<Name, SkipReason>()
  yield* tryFiles(store.dir, () => {
    for (const [id, content] of trees) if (!there.has(id)) pack.add("tree", id, content)
    for (const [id, path] of late) {
      const again = contentAgain(store, root, path, id)
      if ("_tag" in again) unwritten.set(path, again)
      else pack.add("blob", id, again)
    }
  })
  yield* pack.close
  // A file has changed, but not its stat: all are read again by the next freeze.
  if (misled) yield* tryFiles(store.dir, () => rmSync(store.cache, { force: true }))
  const isNew = misses > 0 || rows.size() !== cache.size || cache.knowsObjects && cache.lenders !== lenders
  if ((seen !== null || !treesOnly) && unwritten.size === 0 && isNew) {
    yield* seen === null
      ? tryFiles(store.dir, () => saveCache(store, rows, others, lenders))
      // Without this one, the next freeze reads the files.
      : Effect.ignore(tryFiles(store.dir, () => saveCache(store, rows, new Set(), lenders, seen)))
  }
  const frozen: Frozen = {
    tree,
    head,
    on,
    index,
    nested,
    untracked,
    rules,
    skipped,
    refusedByGit,
    gitDirectories,
    otherWorktrees: [...worktrees],
    ignored
  }
  return { frozen, unwritten } satisfies Attempt
}, Effect.scoped)

/** The bytes of a file or link once more, or why they cannot be written. */
const contentAgain = (store: Store, root: string, path: Name, id: string): Uint8Array | SkipReason => {
  const at = pathOf(`${root}/${path}`)
  const content = orSkip(() => {
    const stat = lstatSync(at)
    if (stat.isSymbolicLink()) return readlinkSync(at, "buffer")
    return stat.size > mostStored ? { _tag: "TooLarge", bytes: stat.size } as const : readFileSync(at)
  }, () => undefined)
  if (content !== null && ("_tag" in content || objectId(store, "blob", content) === id)) return content
  return { _tag: "StillChanging" }
}

/** Work on files of a worktree within IdentityTimeout; it gets the time of `performance.now` at which that ends. */
export const inTime = <A, E, R>(work: (deadline: number) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(IdentityTimeout, (limit) => {
    const late = refused(
      `reading the files took longer than ${exactly(limit)} ` +
        "[raise --identity-timeout, or have git ignore what is not to be reviewed]"
    )
    return Effect.timeoutOrElse(work(performance.now() + Duration.toMillis(limit)), {
      duration: Duration.millis(limit),
      orElse: () => Effect.fail(late)
    })
  })

/** Freezes the worktree of a store's repository. CodeFailed: git or the system refuses, or it takes too long. */
export const freeze = Effect.fn("Freeze.freeze")((store: Store, options: FreezeOptions = {}) =>
  inTime(Effect.fnUntraced(function*(deadline) {
    let left: ReadonlyMap<Name, SkipReason> = new Map()
    for (let tries = 1;; tries++) {
      const without = [...left].filter(([, why]) => why._tag === "TooLarge" || tries >= mostReads)
      const { frozen, unwritten } = yield* attempt(store, options, new Map(without), deadline)
      if (unwritten.size === 0) return frozen
      left = new Map([...left, ...unwritten])
    }
  }))
)

const tooManyRules = (path: string): CodeFailed =>
  refused(`${path} has more than 1 MB of ignore rules, too many to apply [shorten or remove it]`)

/** The text of a file of rules by its path in bytes, which is as missing unless it is plain. */
const rulesText = (path: string) =>
  Effect.suspend(() => {
    const stat = orSkip(() => statSync(pathOf(path)), () => undefined)
    return stat?.isFile() === true && stat.size > mostRules
      ? Effect.fail(tooManyRules(pathOf(path).toString()))
      : Effect.succeed(plainText(pathOf(path)))
  })

/** Its rules. */
const rulesAt = (path: string, base: Name, fold: boolean) =>
  Effect.map(rulesText(path), (text) => parseRules(text, base, fold))

/** A person's own rules, which count in every directory, and the repository's `info/exclude`, not in submodules. */
const personalFiles = ({ repository: { common, excludes } }: Store): ReadonlyArray<readonly [Name, string]> => [
  // No directory has such a name.
  ["/excludes", latin1Of(excludes)],
  ["/info/exclude", latin1Of(`${common}/info/exclude`)]
]

/** The present rules of these files. */
export const personalRules = (store: Store, fold: boolean) =>
  Effect.forEach(personalFiles(store), ([, path]) => rulesAt(path, "", fold))

/** Whether git ignores a file of the worktree, by its path. */
export const isPathIgnored = Effect.fn("Freeze.isPathIgnored")((store: Store, path: Name) =>
  inTime(Effect.fnUntraced(function*() {
    const { repository } = store
    const fold = foldsCase(repository)
    const tracked = trackedIn(yield* listIndex(store, latin1Of(repository.index)), "")
    if (tracked.has(path)) return false
    const stack = [...yield* personalRules(store, fold)]
    const names = path.split("/")
    for (const [i, name] of names.entries()) {
      const directory = names.slice(0, i).join("/")
      const rules = `${latin1Of(repository.top)}/${directory}/.gitignore`
      // A link there is not read, as by git.
      if (lstatSync(pathOf(rules), { throwIfNoEntry: false })?.isFile() === true) {
        stack.push(yield* rulesAt(rules, directory, fold))
      }
      yield* Effect.yieldNow
      if (isIgnored(stack, names.slice(0, i + 1).join("/"), name, i + 1 < names.length, fold)) return true
    }
    return false
  }))
)

/** The names in a tree of the store, for `also`. */
export const namesOf = (store: Store, tree: string) =>
  Effect.map(entriesOf(store, tree), (entries): ReadonlyArray<Name> => [...entries.keys()])
