// Digests: the digest of a stored file of any size.
// A file is read whole only up to a bound. The digest of a larger one covers its size and both its ends.
import { createHash } from "node:crypto"
import { fstatSync } from "node:fs"
import type { Digest } from "../../core/run/Event.ts"
import { type Opened, sliceOf } from "../process/Slices.ts"

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
export const digestOfOpened = ({ size, slice }: Opened): Digest => {
  if (size <= wholeBytes) return digestOf(slice(0, size))
  const ends = [slice(0, endBytes), slice(size - endBytes, endBytes)]
  const hash = createHash("sha256").update(`${size}\n`)
  return { algorithm: "sha256-ends", hex: ends.reduce((sum, end) => sum.update(end), hash).digest("hex"), bytes: size }
}

/** The digest of an open file on this machine's disk. */
export const digestOfFile = (fd: number): Digest =>
  digestOfOpened({ size: fstatSync(fd).size, slice: (offset, length) => sliceOf(fd, offset, length) })
