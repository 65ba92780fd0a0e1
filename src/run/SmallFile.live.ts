// SmallFile: the small files of the store: replaced whole and durably, and identified by their digests.
// A file is read whole only up to a limit. The digest of a larger one covers its size and both its ends.
import { createHash, randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { fstatSync } from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"
import { makeDirectories, type OpenFile, sliceOf } from "../platform/Files.ts"
import { hasCode, systemFault } from "../platform/SystemError.ts"
import type { Digest } from "./Event.ts"
import { StoreFailed } from "./RunStore.ts"

/** Up to this many bytes a digest covers every byte. */
const wholeBytes = 8 * 1024 * 1024
/** How much of each end a digest of a larger file covers, beside its size. */
const endBytes = 64 * 1024

/** The digest of some bytes. */
export const digestOf = (bytes: Buffer): Digest => ({
  algorithm: "sha256",
  hex: createHash("sha256").update(bytes).digest("hex"),
  bytes: bytes.length
})

/** sha256 of all of a file, or `sha256-ends` of "<size>\n", its first and its last bytes. */
export const digestOfOpened = ({ size, slice }: OpenFile): Digest => {
  if (size <= wholeBytes) return digestOf(slice(0, size))
  const ends = [slice(0, endBytes), slice(size - endBytes, endBytes)]
  const hash = createHash("sha256").update(`${size}\n`)
  return { algorithm: "sha256-ends", hex: ends.reduce((sum, end) => sum.update(end), hash).digest("hex"), bytes: size }
}

/** The digest of an open file on this machine's disk. */
export const digestOfFile = (fd: number): Digest =>
  digestOfOpened({ size: fstatSync(fd).size, slice: (offset, length) => sliceOf(fd, offset, length) })

// Replacing files

/** Runs synchronous file calls; an error becomes the store's failure about `path`. */
export const attempt = <A>(path: string, run: () => A): Effect.Effect<A, StoreFailed> =>
  Effect.try({
    try: run,
    catch: (error) => error instanceof StoreFailed ? error : new StoreFailed({ path, reason: systemFault(error) })
  })

/** Where a link leads; the path itself if nothing is there. Throws the system's error. */
export const linkTarget = (path: string): string => {
  try {
    return fs.realpathSync(path)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return path
    throw error
  }
}

const syncDirectory = (path: string): void => {
  const fd = fs.openSync(path, "r")
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * Replaces a file, private to the user unless `mode` says otherwise: written beside it, synced, renamed over it, and
 * the directory synced. Creates a missing directory. Throws the system's error, and then leaves the file unchanged.
 */
export const replaceFile = (path: string, text: string, mode = 0o600): void => {
  makeDirectories(dirname(path))
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.new`
  try {
    const fd = fs.openSync(temporary, "wx", 0o600)
    try {
      fs.writeFileSync(fd, text)
      if (mode !== 0o600) fs.fchmodSync(fd, mode)
      fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
    fs.renameSync(temporary, path)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
  syncDirectory(dirname(path))
}

/** The digest of a file, or null if missing. Throws the system's error. */
export const fileDigest = (path: string): Digest | null => {
  try {
    return digestOf(fs.readFileSync(path))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null
    throw error
  }
}
