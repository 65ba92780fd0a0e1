// Stamps: marks of a worktree that change with every change in it, also with one that is undone again.
// They come from git's own notes about files, and from the directories themselves, of which git keeps no notes.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { placeOf } from "./Index.ts"
import { factsOf } from "./Moves.ts"

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

const digestOf = (index: Buffer, idBytes: number): string | null => {
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
    return digestOf(readFileSync(path), idBytes)
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
