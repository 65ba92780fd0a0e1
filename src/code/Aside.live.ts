// Aside.live: what an undo moves out of the worktree, because nothing else holds it: `aside/<snapshot>/<path>` in the
// directory of the run, where the snapshot is the one before the undo.
// Where the run is in a temporary directory, `aside` is a link to a place in the user's own directory for state.
import * as fs from "node:fs"
import { basename, dirname } from "node:path"
import { Effect } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { variable } from "../platform/Environment.ts"
import { sliceOf, withFile } from "../platform/Files.ts"
import { hasCode } from "../platform/SystemError.ts"
import { asideDirectory } from "../run/Layout.live.ts"
import { usageOf } from "../run/Removal.live.ts"
import { ownPlace, real } from "../run/StateRoot.live.ts"
import type { Name } from "./Names.ts"
import { latin1Of, pathOf } from "./Nested.live.ts"
import { tryFiles } from "./Store.live.ts"

const temporary = ["/tmp", "/var/tmp", "/dev/shm"]

/** The directory of what undo moves aside, in bytes: made when it is first needed. */
export const makeAside = Effect.fnUntraced(function*(run: RunRef) {
  const path = asideDirectory(run)
  const own = yield* ownPlace("ooda-codex-review-aside")
  const swept = [...temporary, (yield* variable("TMPDIR")) ?? "/tmp"]
  return yield* tryFiles(path, () => {
    const isSwept = swept.some((one) => `${real(run.root)}/`.startsWith(`${real(one)}/`))
    if (isSwept && own !== null && fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) {
      const place = `${own}/${run.repoId}/${run.targetKey}/${run.runId}`
      fs.mkdirSync(place, { recursive: true, mode: 0o700 })
      fs.symlinkSync(place, path)
    }
    fs.mkdirSync(path, { recursive: true, mode: 0o700 })
    return latin1Of(fs.realpathSync(path))
  })
})

/** The entries of a directory (in bytes); none if it is missing. */
const entriesIn = (directory: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(pathOf(directory), { encoding: "latin1", withFileTypes: true })
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return []
    throw error
  }
}

const unitsBelow = (directory: string, path: Name): ReadonlyArray<Name> =>
  entriesIn(directory).flatMap((one) => {
    const inner = path === "" ? one.name : `${path}/${one.name}`
    return one.isDirectory() && one.name !== ".git" ? unitsBelow(`${directory}/${one.name}`, inner) : [inner]
  })

/** What the undo with this snapshot moved aside: files, and git directories as a whole, by their paths in the worktree. */
export const movedAside = (run: RunRef, number: number): ReadonlyArray<Name> =>
  unitsBelow(`${latin1Of(asideDirectory(run))}/${number}`, "")

/** Everything that undos of a run moved aside: the directory, or null if nothing is there; and what is in it. */
export const asideOf = (run: RunRef) =>
  tryFiles(asideDirectory(run), () => {
    const path = asideDirectory(run)
    const files = entriesIn(latin1Of(path)).flatMap(({ name }) => unitsBelow(`${latin1Of(path)}/${name}`, ""))
    if (files.length === 0) return null
    const directory = fs.realpathSync(path)
    return { directory, bytes: usageOf(directory).bytes, files }
  })

// Moving

const partLength = 1 << 20

const sameBytes = (one: string, other: string): boolean =>
  withFile(pathOf(one), (a) =>
    withFile(pathOf(other), (b) => {
      const { size } = fs.fstatSync(a)
      if (fs.fstatSync(b).size !== size) return false
      for (let at = 0; at < size; at += partLength) {
        if (!sliceOf(a, at, Math.min(partLength, size - at)).equals(sliceOf(b, at, Math.min(partLength, size - at)))) {
          return false
        }
      }
      return true
    }))

const synced = (path: string): void => withFile(pathOf(path), (fd) => fs.fsyncSync(fd))

const refused = (code: string): Error => Object.assign(new Error("what was copied differs"), { code, syscall: "copy" })

/** Copies everything at a path, syncs it and compares it. Throws EIO if the copy differs, and EXDEV for a special file. */
const copyTree = (from: string, to: string): void => {
  const facts = fs.lstatSync(pathOf(from))
  if (facts.isSymbolicLink()) return fs.symlinkSync(fs.readlinkSync(pathOf(from), "buffer"), pathOf(to))
  if (facts.isDirectory()) {
    fs.mkdirSync(pathOf(to), { mode: 0o700 })
    for (const { name } of entriesIn(from)) copyTree(`${from}/${name}`, `${to}/${name}`)
  } else if (facts.isFile()) {
    fs.copyFileSync(pathOf(from), pathOf(to), fs.constants.COPYFILE_EXCL)
    if (!sameBytes(from, to)) throw refused("EIO")
  } else throw refused("EXDEV")
  fs.chmodSync(pathOf(to), facts.mode & 0o7777)
  if (!facts.isDirectory()) fs.utimesSync(pathOf(to), facts.atime, facts.mtime)
  if ((facts.mode & 0o400) !== 0) synced(to)
}

/** Removes everything at a path (in bytes), also from directories that may only be read, and follows no link. */
const removeAll = (path: string): void => {
  if (fs.lstatSync(pathOf(path), { throwIfNoEntry: false })?.isDirectory() !== true) return fs.unlinkSync(pathOf(path))
  fs.chmodSync(pathOf(path), 0o700)
  for (const { name } of entriesIn(path)) removeAll(`${path}/${name}`)
  fs.rmdirSync(pathOf(path))
}

/** Whether anything is at a path (in bytes). */
export const isThere = (path: string): boolean => {
  try {
    return fs.lstatSync(pathOf(path), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return false
    throw error
  }
}

const besidePath = (path: string, what: string) => `${dirname(path)}/.ooda-${what}-${basename(path)}`

/** Whether an earlier call was cut off while it moved what was at a path (in bytes) to another file system. */
export const isLeaving = (path: string): boolean => isThere(besidePath(path, "leaving"))

/**
 * Moves everything at a path to a free one; both are in bytes. Across file systems it is copied, synced and compared
 * before it is removed. Called again after a crash, it ends the same. Throws the system's error, and EEXIST if the other
 * path is taken; then everything is where it was.
 */
export const moveTree = (from: string, to: string): void => {
  const [leaving, arriving] = [besidePath(from, "leaving"), besidePath(to, "arriving")]
  if (isThere(leaving)) {
    if (isThere(to)) return removeAll(leaving)
    if (isThere(from)) throw Object.assign(refused("EEXIST"), { path: from })
    fs.renameSync(pathOf(leaving), pathOf(from))
  }
  if (isThere(to)) throw Object.assign(refused("EEXIST"), { path: to })
  fs.mkdirSync(pathOf(dirname(to)), { recursive: true, mode: 0o700 })
  try {
    return fs.renameSync(pathOf(from), pathOf(to))
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error
  }
  fs.renameSync(pathOf(from), pathOf(leaving))
  try {
    if (isThere(arriving)) removeAll(arriving)
    copyTree(leaving, arriving)
    fs.renameSync(pathOf(arriving), pathOf(to))
    synced(dirname(to))
  } catch (error) {
    if (isThere(arriving)) removeAll(arriving)
    fs.renameSync(pathOf(leaving), pathOf(from))
    throw error
  }
  removeAll(leaving)
}

/** Removes the directories of an undo that are empty now. */
export const tidyAside = (run: RunRef, number: number): void => {
  const clear = (directory: string): void => {
    for (const one of entriesIn(directory)) {
      if (one.isDirectory() && one.name !== ".git") clear(`${directory}/${one.name}`)
    }
    if (entriesIn(directory).length === 0) fs.rmdirSync(pathOf(directory))
  }
  const own = `${latin1Of(asideDirectory(run))}/${number}`
  if (isThere(own)) clear(own)
}
