// Files: private directories, and bounded reads of files that may be far too large to be read whole.
import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { hasCode } from "./SystemError.ts"

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Creates one directory unless it exists. False if its parent is missing. */
const made = (path: string): boolean => {
  try {
    mkdirSync(path, { mode: 0o700 })
    // An unusual umask can take the necessary rights even from the user.
    if ((statSync(path).mode & 0o777) !== 0o700) chmodSync(path, 0o700)
    return true
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false
    if (isDirectory(path)) return true
    throw error
  }
}

/** Creates a directory unless it exists, its parents first. Throws the system's error. */
export const makeDirectories = (path: string): void => {
  if (made(path)) return
  const parent = dirname(path)
  if (parent !== path && !isDirectory(parent)) makeDirectories(parent)
  // Tried once more to throw its error.
  if (!made(path)) mkdirSync(path, { mode: 0o700 })
}

// Bounded reads

/** Up to `length` bytes from `offset` of an open file; fewer at its end. */
export const sliceOf = (fd: number, offset: number, length: number): Buffer => {
  const buffer = Buffer.allocUnsafe(Math.max(0, length))
  let read = 0
  while (read < buffer.length) {
    const count = readSync(fd, buffer, read, buffer.length - read, offset + read)
    if (count === 0) break
    read += count
  }
  return buffer.subarray(0, read)
}

/** Opens a file, uses it, closes it. Throws the system's error. */
export const withFile = <A>(path: string | Buffer, use: (fd: number) => A): A => {
  const fd = openSync(path, "r")
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}

/** A file that is open for bounded reads, wherever it lies. `slice` gives fewer bytes at its end. */
export interface OpenFile {
  readonly size: number
  readonly slice: (offset: number, length: number) => Buffer
}

/** Opens a file and uses it; null if it is missing. Throws the system's error otherwise. */
export type Open = <A>(path: string, use: (file: OpenFile | null) => A) => A

/** A file that is in memory. */
export const fileInMemory = (bytes: Buffer): OpenFile => ({
  size: bytes.length,
  slice: (offset, length) => bytes.subarray(offset, offset + Math.max(0, length))
})

/** Opens files on this machine's disk. */
export const openOnDisk: Open = (path, use) => {
  try {
    return withFile(path, (fd) => {
      const slice = (offset: number, length: number) => sliceOf(fd, offset, length)
      return use({ size: fstatSync(fd).size, slice })
    })
  } catch (error) {
    if (hasCode(error, "ENOENT")) return use(null)
    throw error
  }
}

/** UTF-8 text of a slice, without characters that were cut at its ends. */
export const textOf = (slice: Buffer): string => {
  let from = 0
  while (from < Math.min(3, slice.length) && ((slice[from] ?? 0) & 0xc0) === 0x80) from += 1
  let to = slice.length
  for (let back = 1; back <= Math.min(3, slice.length - from); back += 1) {
    const byte = slice[slice.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    if (length > back) to = slice.length - back
    break
  }
  return slice.toString("utf8", from, to)
}

const chunkBytes = 256 * 1024
const maxLineBytes = 16 * 1024 * 1024

/**
 * Passes a file's lines as UTF-8, in order. Returns false, after as many as possible, if the file is larger than `most`
 * bytes or a line was too long.
 */
export const eachLine = (file: OpenFile, most: number, take: (line: string) => void): boolean => {
  let whole = true
  let pending: ReadonlyArray<Buffer> = []
  let length = 0
  const end = (last: Buffer): void => {
    if (length + last.length > maxLineBytes) whole = false
    else if (length + last.length > 0) take(Buffer.concat([...pending, last]).toString("utf8"))
    pending = []
    length = 0
  }
  for (let offset = 0; offset < most; offset += chunkBytes) {
    const chunk = file.slice(offset, Math.min(chunkBytes, most - offset))
    let start = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      end(chunk.subarray(start, at))
      start = at + 1
    }
    const rest = chunk.subarray(start)
    length += rest.length
    if (length <= maxLineBytes) pending = [...pending, rest]
    if (chunk.length < chunkBytes) break
  }
  end(Buffer.alloc(0))
  return whole && file.size <= most
}

// Removing trees

/** Makes copied directories writable: otherwise their files cannot be removed. */
const openUp = (path: string): void => {
  chmodSync(path, 0o700)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openUp(join(path, entry.name))
  }
}

/** Removes a directory tree of ours. Throws the system's error. */
export const removeTree = (path: string): void => {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    if (!hasCode(error, "EACCES")) throw error
    openUp(path)
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  }
}
