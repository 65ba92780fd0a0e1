// Changes.live: marks that change with every change of code.
import { createHash } from "node:crypto"
import { fstatSync, lstatSync, readFileSync, realpathSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { sliceOf, withFile } from "../platform/Files.ts"
import { placeOf } from "./Index.live.ts"

// Marks of HEAD and of branches that change with every move, also with one that is undone again.
// They come from git's notes on moves. Where git keeps none, the times of the files that hold the refs stand in.

const tail = 8192

const textDigest = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex")

/** The last two lines of a note on moves, the last one first; none where there is no such note. */
const lastLines = (path: string): ReadonlyArray<string> => {
  try {
    return withFile(path, (fd) => {
      const end = sliceOf(fd, Math.max(0, fstatSync(fd).size - tail), tail).toString("latin1").trimEnd()
      return end === "" ? [] : end.split("\n").slice(-2).reverse()
    })
  } catch {
    return []
  }
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1").trim()
  } catch {
    return ""
  }
}

/** What changes with every write of a file, also behind a link; the same text where there is no such file. */
export const factsOf = (path: string | Buffer): string => {
  try {
    // Most of the files that are asked for are not there, and an error takes far longer than an answer.
    const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if (facts === undefined) return "none"
    const { ctimeNs, ino, mtimeNs, size } = facts
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}${facts.isSymbolicLink() ? ` ${factsOf(realpathSync(path))}` : ""}`
  } catch {
    return "none"
  }
}

/** The directory of what all worktrees of a repository share. `gitDirectory` is the one of a worktree. */
export const sharedOf = (gitDirectory: string): string => {
  const named = textOf(join(gitDirectory, "commondir"))
  return named === "" ? gitDirectory : isAbsolute(named) ? named : join(gitDirectory, named)
}

/** The list of the tables that hold refs, which every move of one writes anew; "" where refs lie in files. */
export const tablesOf = (gitDirectory: string): string => {
  const facts = factsOf(join(gitDirectory, "reftable/tables.list"))
  return facts === "none" ? "" : `\n${facts}`
}

// A ref without a file of its own stands among the packed ones, or in a table.
const written = (shared: string, ref: string): string => {
  const own = factsOf(join(shared, ref))
  return (own === "none" ? factsOf(join(shared, "packed-refs")) : own) + tablesOf(shared)
}

/** Where a worktree's HEAD stands after its last move, and after the move before that where git has a note of it. */
export interface Moves {
  readonly moved: string
  readonly movedBefore?: string
  /** The files that name HEAD's commit: a linked worktree's branch may move without a note beside its HEAD. */
  readonly held: string
}

/** The marks of HEAD's moves. `gitDirectory` is the one of the worktree. */
export const movesOf = (gitDirectory: string): Moves => {
  const head = join(gitDirectory, "HEAD")
  const [, ref] = /^ref: (.+)$/.exec(textOf(head)) ?? []
  const named = ref === undefined ? "" : written(sharedOf(gitDirectory), ref)
  const held = textDigest(`${factsOf(head)}\n${named}${tablesOf(gitDirectory)}`)
  const [last, before] = lastLines(join(gitDirectory, "logs/HEAD"))
  return {
    held,
    moved: last === undefined ? held : textDigest(last),
    ...(before === undefined ? {} : { movedBefore: textDigest(before) })
  }
}

/** One mark over the moves of some refs. `gitDirectory` is the one of a worktree. */
export const movesOfRefs = (gitDirectory: string, refs: ReadonlyArray<string>): string => {
  const shared = sharedOf(gitDirectory)
  const one = (ref: string): string =>
    [ref, lastLines(join(shared, "logs", ref))[0] ?? "", written(shared, ref)].join("\n")
  return textDigest(refs.map(one).join("\n"))
}

// Marks of a worktree that change with every change in it, also with one that is undone again.
// They come from git's own notes about files, and from the directories themselves, of which git keeps no notes.

const header = 12
// The bytes that an entry begins with: both times, the device, the inode, the mode, the owner and the size. The id and
// the flags follow.
const facts = 40
const [deviceAt, inodeAt, modeAt] = [16, 20, 24]
const gitlink = 0o160000
const extended = 0x4000
const nameMask = 0xfff

/** Where the entry after one begins. Version 4 leaves out what a name shares with the one before it. */
const after = (index: Buffer, from: number, version: number, idBytes: number): number => {
  const flags = index.readUInt16BE(from + facts + idBytes)
  const name = from + facts + idBytes + ((flags & extended) === 0 ? 2 : 4)
  if (version === 4) {
    let at = name
    while ((index.readUInt8(at) & 0x80) !== 0) at++
    return index.indexOf(0, at + 1) + 1
  }
  const known = flags & nameMask
  const end = known < nameMask ? name + known : index.indexOf(0, name)
  return from + Math.floor((end - from + 8) / 8) * 8
}

const indexDigest = (index: Buffer, idBytes: number): string | null => {
  const version = index.readUInt32BE(4)
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return null
  let kept = 0
  let at = header
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    // The times of a directory do not change with the files of a repository in it.
    if (index.readUInt32BE(at + modeAt) !== gitlink) {
      // Moved together over what was read already: to digest each by itself takes several times as long.
      index.copyWithin(kept, at, at + deviceAt)
      index.copyWithin(kept + deviceAt, at + inodeAt, at + modeAt)
      kept += deviceAt + modeAt - inodeAt
    }
    at = after(index, at, version, idBytes)
  }
  return createHash("sha256").update(index.subarray(0, kept)).digest("hex")
}

/**
 * The digest over the times and inodes of all files in an index that git has brought up to date, or null where it is
 * none that is understood. `idBytes` is the length of an object's id.
 */
export const stampsIn = (path: string, idBytes: number): string | null => {
  try {
    return indexDigest(readFileSync(path), idBytes)
  } catch {
    return null
  }
}

/**
 * The digest over the times and inodes of directories. Whatever is moved, made or removed in one changes it, also where
 * that was undone: no file in a directory tells that the directory was away for a time.
 */
export const directoryStamps = (root: string, names: Iterable<string>): string => {
  const hash = createHash("sha256")
  for (const name of names) hash.update(`${factsOf(name === "" ? root : placeOf(root, name))}\n`)
  return hash.digest("hex")
}
