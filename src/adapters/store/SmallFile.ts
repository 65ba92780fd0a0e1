// SmallFile: the small files of the store: replaced whole and durably, and known by their digests.
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"
import type { Digest } from "../../core/run/Event.ts"
import { StoreFailed } from "../../services/RunStore.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"
import { digestOf } from "./Digests.ts"
import { makeDirectories } from "../process/Directories.ts"

/** Runs synchronous file calls; what they throw is the store's failure, about `path`. */
export const attempt = <A>(path: string, run: () => A): Effect.Effect<A, StoreFailed> =>
  Effect.try({
    try: run,
    catch: (error) => error instanceof StoreFailed ? error : new StoreFailed({ path, reason: systemFault(error) })
  })

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
 * the directory synced. Makes the directory where it is not there. Throws what the system throws, and then leaves the
 * file as it was.
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

/** The digest of a file, or null when there is none. Throws what the system throws. */
export const fileDigest = (path: string): Digest | null => {
  try {
    return digestOf(fs.readFileSync(path))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null
    throw error
  }
}
