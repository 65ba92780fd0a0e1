// Undo.live: merges contents by git, and carries out the plan of an undo.
//
// A plan names for each path what was there when it was made and what is to be there. It is stored first, so a call
// after a crash has the same plan. Each path is then in one of a few states, and every call continues from there:
//
//   1. What is there is moved aside, under a name derived from the path, and only then checked: if it differs from
//      the plan, a person wrote it meanwhile, and it is moved back.
//   2. What is to be there is written beside the path, whole and synced, and linked into place. The link fails if
//      anything is there. So no path ever holds half a file, and nothing is ever overwritten.
//
// Removals come first, then what is moved as a whole, then the directories that this empties, then the rest: a file can
// replace a directory, and the other way round.
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { Effect } from "effect"
import { UsersUmask } from "../platform/Environment.ts"
import { sliceOf } from "../platform/Files.ts"
import { hasCode, isSystemError } from "../platform/SystemError.ts"
import { CodeFailed, refused } from "./CodeFailed.ts"
import { directoryOf, type Name, nameBytes, shownName } from "./Names.ts"
import { directoriesTo, latin1Of, pathOf } from "./Nested.live.ts"
import type { ObjectFormat } from "./Repository.live.ts"
import { ours } from "./SafeGit.live.ts"
import { type Entry, scratchPath, type Store, tryFiles, writeObjects } from "./Store.live.ts"
import { isLeaving, isThere, moveTree } from "./Aside.live.ts"
import type { Left, LeftReason, MergeSides, Merged, UndoStep } from "./Undo.ts"

// Contents may be large: git writes them to files.

/** Writes what git answers to a file. */
const writeAnswer = (store: Store, path: string, args: ReadonlyArray<string>, options: {
  readonly accept?: ReadonlyArray<number>
  readonly input?: string
}) =>
  Effect.acquireUseRelease(
    tryFiles(path, () => fs.openSync(path, "wx", 0o600)),
    (fd) => ours({ gitDirectory: store.dir }, args, { ...options, into: fd }),
    (fd) => Effect.sync(() => fs.closeSync(fd))
  )

// Up to 127 is the number of conflicts; 255 is a file that git cannot merge.
const mergeCodes = [...Array(128).keys(), 255]

/** Merges by `git merge-file`, on the bytes as they are. */
export const mergeBy = (store: Store) => ({ after, before, now }: MergeSides): Effect.Effect<Merged, CodeFailed> => {
  const path = scratchPath(store, "merge")
  const sides = [["now", now], ["after", after], ["before", before]] as const
  const merged = Effect.gen(function*() {
    for (const [side, id] of sides) yield* writeAnswer(store, `${path}.${side}`, ["cat-file", "blob", id], {})
    const files = sides.map(([side]) => `${path}.${side}`)
    const args = ["merge-file", "-p", "-q", ...files]
    const { code } = yield* writeAnswer(store, `${path}.merged`, args, { accept: mergeCodes })
    if (code !== 0) return { _tag: code === 255 ? "Binary" : "Conflict" } satisfies Merged
    const content = yield* tryFiles(path, () => fs.readFileSync(`${path}.merged`))
    const [id = ""] = yield* writeObjects(store, [{ type: "blob", content }])
    return { _tag: "Merged", id } satisfies Merged
  })
  const tidy = Effect.sync(() => {
    for (const side of ["now", "after", "before", "merged"]) fs.rmSync(`${path}.${side}`, { force: true })
  })
  return Effect.ensuring(merged, tidy)
}

/** Where each content lies in one file, by id. */
interface Contents {
  readonly path: string
  readonly places: ReadonlyMap<string, { readonly at: number; readonly size: number }>
}

const longestHead = 128

/** The contents in an answer of `cat-file --batch`, without those that are gone. */
const placesIn = (path: string): Contents["places"] => {
  const places = new Map<string, { at: number; size: number }>()
  const fd = fs.openSync(path, "r")
  try {
    const end = fs.fstatSync(fd).size
    for (let at = 0; at < end;) {
      const head = sliceOf(fd, at, longestHead).toString("latin1")
      const [line = "", id, size] = /^([0-9a-f]+) (?:blob (\d+)|missing)\n/.exec(head) ?? []
      if (id === undefined) throw refused(`a snapshot is damaged: ${head.replace(/\n[^]*/, "")}`)
      if (size !== undefined) places.set(id, { at: at + line.length, size: Number(size) })
      at += line.length + (size === undefined ? 0 : Number(size) + 1)
    }
    return places
  } finally {
    fs.closeSync(fd)
  }
}

/** Makes the contents of steps available; a path whose content is gone is left. */
export const withContents = <A>(store: Store, steps: ReadonlyArray<UndoStep>, use: (contents: Contents) => A) => {
  const path = scratchPath(store, "contents")
  const input = [...new Set(steps.flatMap(({ to }) => to === null ? [] : [`${to.id}\n`]))].join("")
  const used = Effect.gen(function*() {
    yield* writeAnswer(store, path, ["cat-file", "--batch"], { input })
    return yield* tryFiles(store.dir, () => use({ path, places: placesIn(path) }))
  })
  return Effect.ensuring(used, Effect.sync(() => fs.rmSync(path, { force: true })))
}

// What is at a path.

const partLength = 1 << 20

/** Calls `take` with the bytes of an open file, part by part. Throws EIO, as a disk would, if the file ends before. */
const eachPart = (fd: number, at: number, size: number, take: (part: Uint8Array) => void): void => {
  for (let done = 0; done < size;) {
    const part = sliceOf(fd, at + done, Math.min(partLength, size - done))
    if (part.length === 0) {
      throw Object.assign(new Error("the file has become shorter"), { code: "EIO", syscall: "read" })
    }
    take(part)
    done += part.length
  }
}

const blobHash = (format: ObjectFormat, size: number) => createHash(format).update(`blob ${size}\0`)

/** What is at a path: an entry, nothing, or something that no tree can hold. */
export type Found = Entry | "Nothing" | "Directory" | "Special" | "Unreadable"

/** Whether what was found is an entry of a tree. */
const isEntry = (found: Found): found is Entry => typeof found === "object"

const isEqual = (found: Found, entry: Entry | null): boolean =>
  entry === null ? found === "Nothing" : isEntry(found) && found.mode === entry.mode && found.id === entry.id

/** A worktree whose files are changed: its root in bytes, and its object format. */
export interface Place {
  readonly root: string
  readonly format: ObjectFormat
}

/** The calls that change the worktree. */
export type Calls = Pick<
  typeof fs,
  | "fsyncSync"
  | "linkSync"
  | "mkdirSync"
  | "openSync"
  | "renameSync"
  | "rmdirSync"
  | "symlinkSync"
  | "unlinkSync"
  | "writeSync"
>

const placeAt = (root: string, path: Name): string | Buffer => pathOf(path === "" ? root : `${root}/${path}`)

/** The facts of a path itself, not of a link's target; null if nothing is there. */
const factsAt = ({ root }: Place, path: Name): fs.Stats | null => {
  try {
    return fs.lstatSync(placeAt(root, path))
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return null
    throw error
  }
}

/** Whether every parent of a path is a directory and not a link. */
const isReached = (place: Place, path: Name): boolean =>
  directoriesTo(path).every((directory) => factsAt(place, directory)?.isDirectory() === true)

const fileAt = ({ format, root }: Place, path: Name): Found => {
  const fd = fs.openSync(placeAt(root, path), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  try {
    const facts = fs.fstatSync(fd)
    if (!facts.isFile()) return "Special"
    const sum = blobHash(format, facts.size)
    eachPart(fd, 0, facts.size, (part) => sum.update(part))
    return { mode: (facts.mode & 0o100) === 0 ? "100644" : "100755", id: sum.digest("hex") }
  } finally {
    fs.closeSync(fd)
  }
}

/** What is at a path. */
export const foundAt = (place: Place, path: Name): Found => {
  try {
    if (!isReached(place, path)) return "Nothing"
    const facts = factsAt(place, path)
    if (facts === null) return "Nothing"
    if (facts.isDirectory()) return "Directory"
    if (facts.isFile()) return fileAt(place, path)
    if (!facts.isSymbolicLink()) return "Special"
    const target = fs.readlinkSync(placeAt(place.root, path), "buffer")
    return { mode: "120000", id: blobHash(place.format, target.length).update(target).digest("hex") }
  } catch (error) {
    if (isSystemError(error)) return "Unreadable"
    throw error
  }
}

// Carrying out.

/** The name beside a path for the old content aside, or for the new content before it is linked. */
const beside = (path: Name, what: "new" | "old"): Name => {
  const directory = directoryOf(path)
  const name = `.ooda-${what}-${createHash("sha256").update(nameBytes(path)).digest("hex").slice(0, 16)}`
  return directory === "" ? name : `${directory}/${name}`
}

const noLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** A step that is carried out: what is there is moved to `kept`, a path outside of the worktree, if it is given. */
export interface Step extends Omit<UndoStep, "aside"> {
  readonly kept?: string
}

/** Something that is moved as a whole from one path to another, if it is `isExpected` when it is. All paths are in bytes. */
export interface Move {
  /** Its name for a person. */
  readonly path: Name
  readonly from: string
  readonly to: string
  /** Where it belongs in the worktree; null if it leaves the worktree. */
  readonly place: Name | null
  /** Whether it comes from outside of the worktree, after all else. */
  readonly isBack: boolean
  readonly isExpected: () => boolean
}

/** What the steps of one undo share. */
interface Work {
  readonly place: Place
  readonly contents: Contents
  readonly calls: Calls
  readonly left: Map<Name, Left>
}

const leave = ({ left }: Work, path: Name, reason: LeftReason, detail?: string): void => {
  left.set(path, { path, reason, ...(detail === undefined ? {} : { detail }) })
}

/** Runs the calls of one step; if the system refuses one, the path is left. */
const trying = (work: Work, path: Name, run: () => void): void => {
  try {
    run()
  } catch (error) {
    // A full disk concerns all paths, not one: the next call continues.
    if (!isSystemError(error) || error.code === "ENOSPC" || error.code === "EDQUOT" || error.code === "EIO") throw error
    if (error.code === "EEXIST" || error.code === "ENOTDIR") leave(work, path, "InTheWay")
    else leave(work, path, "Refused", error.code)
  }
}

/** Moves a path to a free one in the same directory. */
const moveTo = ({ calls, place }: Work, from: Name, to: Name): void => {
  const [source, target] = [placeAt(place.root, from), placeAt(place.root, to)]
  const isDirectory = factsAt(place, from)?.isDirectory() === true
  try {
    // Unlike a rename, a link fails if anything is there. Directories cannot be linked, and replace no file.
    if (isDirectory) return calls.renameSync(source, target)
    calls.linkSync(source, target)
  } catch (error) {
    if (!isSystemError(error) || !noLinks.has(error.code ?? "") || factsAt(place, to) !== null) throw error
    return calls.renameSync(source, target)
  }
  calls.unlinkSync(source)
}

/**
 * Checks what was moved aside. False if it differs from the plan: then a person wrote it meanwhile, and it is moved
 * back, or stays aside if its place is taken.
 */
const isExpected = (work: Work, { from, path }: Step): boolean => {
  const { calls, place } = work
  const aside = beside(path, "old")
  const found = foundAt(place, aside)
  if (isEqual(found, from)) return true
  const now = foundAt(place, path)
  if (now === "Nothing") {
    moveTo(work, aside, path)
    leave(work, path, "ChangedMeanwhile")
  } else if (isEntry(found) && isEqual(now, found)) {
    calls.unlinkSync(placeAt(place.root, aside))
    leave(work, path, "ChangedMeanwhile")
  } else leave(work, path, "ChangedMeanwhile", `another version is in ${shownName(aside)}`)
  return false
}

/** Moves something out of the worktree. If that fails, it is where it was, and its path is left: false. */
const keep = (work: Work, from: Name, { path }: Step, to: string): boolean => {
  try {
    moveTree(`${work.place.root}/${from}`, to)
    return true
  } catch (error) {
    if (!isSystemError(error)) throw error
    leave(work, path, "Refused", error.code)
    return false
  }
}

/** Removes or keeps what was moved beside its path. False if its path is left. */
const dispose = (work: Work, step: Step): boolean => {
  const { kept, path } = step
  const old = beside(path, "old")
  if (kept === undefined) {
    work.calls.unlinkSync(placeAt(work.place.root, old))
    return true
  }
  if (keep(work, old, step, kept)) return true
  if (factsAt(work.place, path) === null) moveTo(work, old, path)
  return false
}

/** Moves what is at a path aside. Returns whether it was as planned. */
const moveAside = (work: Work, step: Step): boolean => {
  const { calls, place: { root } } = work
  calls.renameSync(placeAt(root, step.path), placeAt(root, beside(step.path, "old")))
  return isExpected(work, step)
}

/** Restarts or finishes a path at which an earlier call was cut off. */
const recover = (work: Work, step: Step): void => {
  const { calls, place } = work
  const { path, to } = step
  const [aside, fresh] = [beside(path, "old"), beside(path, "new")]
  if (!isReached(place, path)) return
  if (factsAt(place, fresh) !== null) calls.unlinkSync(placeAt(place.root, fresh))
  if (isLeaving(`${place.root}/${aside}`)) return void dispose(work, step)
  if (factsAt(place, aside) === null || !isExpected(work, step)) return
  if (to !== null && factsAt(place, path) === null) moveTo(work, aside, path)
  else dispose(work, step)
}

const remove = (work: Work, step: Step): void => {
  const found = foundAt(work.place, step.path)
  if (found === "Nothing" || found === "Directory") return
  if (found === "Unreadable") return leave(work, step.path, "Unreadable")
  if (!isEqual(found, step.from)) return leave(work, step.path, "ChangedMeanwhile")
  if (moveAside(work, step)) dispose(work, step)
}

/** Removes a directory that holds only directories; false if it holds anything else. */
const removeEmpty = (work: Work, path: Name): boolean => {
  const { calls, place: { root } } = work
  const inside = fs.readdirSync(placeAt(root, path), { encoding: "latin1", withFileTypes: true })
  if (!inside.every((one) => one.isDirectory() && removeEmpty(work, `${path}/${one.name}`))) return false
  calls.rmdirSync(placeAt(root, path))
  return true
}

/** Makes the parent directories of a path. Throws ENOTDIR if something else is in the way. */
const makeWay = ({ calls, place }: Work, path: Name): void => {
  for (const directory of directoriesTo(path)) {
    const facts = factsAt(place, directory)
    if (facts === null) calls.mkdirSync(placeAt(place.root, directory))
    else if (!facts.isDirectory()) throw Object.assign(new Error("in the way"), { code: "ENOTDIR", syscall: "mkdir" })
  }
}

/** The mode of a new file, less the umask; no more than the mode of the file that it replaces. */
const rightsOf = (mode: string, replaced: fs.Stats | null): number => {
  const wide = mode === "100755" ? 0o777 : 0o666
  if (replaced?.isFile() !== true) return wide
  const read = replaced.mode & 0o666
  return wide & (0o700 | read | (read & 0o444) >> 2)
}

const writeFresh = ({ calls, contents, place: { root } }: Work, path: Name, entry: Entry, rights: number): void => {
  const { at = 0, size = 0 } = contents.places.get(entry.id) ?? {}
  const source = fs.openSync(contents.path, "r")
  try {
    if (entry.mode === "120000") {
      const parts: Array<Uint8Array> = []
      eachPart(source, at, size, (part) => parts.push(part))
      return calls.symlinkSync(Buffer.concat(parts), placeAt(root, path))
    }
    const fd = calls.openSync(placeAt(root, path), "wx", rights)
    try {
      eachPart(source, at, size, (part) => {
        for (let done = 0; done < part.length;) done += calls.writeSync(fd, part, done)
      })
      calls.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  } finally {
    fs.closeSync(source)
  }
}

/** Writes an entry to a free path. */
const create = (work: Work, path: Name, to: Entry): void => {
  const fresh = beside(path, "new")
  makeWay(work, path)
  writeFresh(work, fresh, to, rightsOf(to.mode, factsAt(work.place, beside(path, "old"))))
  moveTo(work, fresh, path)
}

/** Replaces what the plan expects at a path. If the system refuses, it is moved back. */
const replace = (work: Work, step: Step, to: Entry): void => {
  if (!moveAside(work, step)) return
  try {
    create(work, step.path, to)
  } catch (error) {
    if (isSystemError(error)) recover(work, step)
    throw error
  }
  dispose(work, step)
}

const write = (work: Work, step: Step, to: Entry): void => {
  const { from, kept, path } = step
  const found = foundAt(work.place, path)
  if (isEqual(found, to)) return
  if (!work.contents.places.has(to.id)) return leave(work, path, "NotSaved")
  if (kept !== undefined && from === null && (found === "Special" || found === "Unreadable" || isEntry(found))) {
    return keep(work, path, step, kept) ? create(work, path, to) : undefined
  }
  if (kept !== undefined && found === "Nothing" && isThere(kept)) return create(work, path, to)
  if (found === "Unreadable") return leave(work, path, "Unreadable")
  if (from !== null) return isEqual(found, from) ? replace(work, step, to) : leave(work, path, "ChangedMeanwhile")
  if (found === "Nothing" || found === "Directory" && removeEmpty(work, path)) return create(work, path, to)
  leave(work, path, "InTheWay")
}

/** Moves something as a whole, if it is unchanged since the plan. */
const move = (work: Work, { from, isExpected, path, place, to }: Move): void => {
  const isLeft = isLeaving(from)
  // An earlier call has moved it.
  if (!isLeft && !isThere(from)) return
  if (!isLeft && !isExpected()) return leave(work, path, "ChangedMeanwhile")
  if (place !== null) makeWay(work, place)
  try {
    moveTree(from, to)
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (error.code === "EEXIST") leave(work, path, "InTheWay")
    else leave(work, path, "Refused", error.code)
  }
}

/** Removes the directories that are now empty, the innermost first. */
const removeEmptied = ({ calls, place }: Work, removed: ReadonlyArray<Name>): void => {
  const all = new Set(removed.flatMap(directoriesTo))
  for (const directory of [...all].sort((one, other) => other.length - one.length)) {
    if (!isReached(place, `${directory}/x`)) continue
    try {
      calls.rmdirSync(placeAt(place.root, directory))
    } catch (error) {
      if (!isSystemError(error)) throw error
    }
  }
}

/** Syncs the changes, if a directory can be opened. */
const syncDirectories = ({ calls, place }: Work, steps: ReadonlyArray<Step>): void => {
  for (const directory of new Set(steps.map(({ path }) => directoryOf(path)))) {
    try {
      const fd = fs.openSync(placeAt(place.root, directory), fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW)
      try {
        calls.fsyncSync(fd)
      } finally {
        fs.closeSync(fd)
      }
    } catch (error) {
      if (!["EACCES", "ELOOP", "ENOENT", "ENOTDIR"].some((code) => hasCode(error, code))) throw error
    }
  }
}

/** Carries out steps on the files, from wherever an earlier call was cut off. Returns what it left. */
export const carryOutSteps = (
  place: Place,
  contents: Contents,
  steps: ReadonlyArray<Step>,
  moves: ReadonlyArray<Move> = [],
  calls: Calls = fs
): ReadonlyArray<Left> => {
  const work = { place, contents, calls, left: new Map<Name, Left>() }
  const [leaving, returning] = [moves.filter(({ isBack }) => !isBack), moves.filter(({ isBack }) => isBack)]
  for (const step of steps) trying(work, step.path, () => recover(work, step))
  for (const step of steps) {
    if (step.to === null && !work.left.has(step.path)) trying(work, step.path, () => remove(work, step))
  }
  for (const one of leaving) trying(work, one.path, () => move(work, one))
  const removed = steps.flatMap(({ from, path }) => from === null ? [] : [path])
  removeEmptied(work, [...removed, ...moves.map(({ path }) => path)])
  for (const step of steps) {
    const { path, to } = step
    if (to !== null && !work.left.has(path)) trying(work, path, () => write(work, step, to))
  }
  for (const one of returning) trying(work, one.path, () => move(work, one))
  syncDirectories(work, steps)
  return [...work.left.values()]
}

/** The worktree of a private repository. */
export const placeOf = ({ repository: { format, top } }: Store): Place => ({ root: latin1Of(top), format })

// What undo writes here is the user's. Nothing else of this process runs meanwhile.
const underUmask = <A>(umask: string | null, use: () => A): A => {
  if (umask === null) return use()
  const own = process.umask(Number.parseInt(umask, 8))
  try {
    return use()
  } finally {
    process.umask(own)
  }
}

/** Carries out the stored steps. Returns what it left. */
export const carryOut = (store: Store, steps: ReadonlyArray<Step>, moves: ReadonlyArray<Move> = []) =>
  Effect.flatMap(
    UsersUmask,
    (umask) =>
      withContents(
        store,
        steps,
        (contents) => underUmask(umask, () => carryOutSteps(placeOf(store), contents, steps, moves))
      )
  )
