// TryLock: one try, without waiting, at the lock on a file.
// A lock on a file that no longer has its name is no lock. The file is never deleted here.
import * as fs from "node:fs"
import type { Variables } from "../../services/Environment.ts"
import { flockDescriptors } from "../process/Flock.ts"
import { hasCode } from "../process/SystemError.ts"

const { O_CREAT, O_NONBLOCK, O_RDWR } = fs.constants
const privateFile = 0o600

// The value of <sys/fcntl.h> on macOS and the BSDs, which can lock while opening; Node has no name for it.
const O_EXLOCK = 0x20
const locksWhileOpening: ReadonlyArray<string> = ["darwin", "freebsd", "openbsd", "netbsd"]

/** Opens the file locked, or returns null when another open description has the lock. */
const openLocked = (path: string): number | null => {
  try {
    return fs.openSync(path, O_RDWR | O_CREAT | O_NONBLOCK | O_EXLOCK, privateFile)
  } catch (error) {
    if (hasCode(error, "EAGAIN")) return null
    throw error
  }
}

const openThenLock = (path: string, env: Variables): number | null => {
  const fd = fs.openSync(path, O_RDWR | O_CREAT, privateFile)
  try {
    if (flockDescriptors([fd], "exclusive", env)) return fd
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
  fs.closeSync(fd)
  return null
}

/** Whether the open file is still the one of that name; if it was deleted, others lock a new one. */
const isCurrent = (path: string, fd: number): boolean => {
  const held = fs.fstatSync(fd)
  const named = fs.statSync(path, { throwIfNoEntry: false })
  return named !== undefined && named.ino === held.ino && named.dev === held.dev
}

/**
 * The descriptor that holds the lock until it is closed, or null when it is held elsewhere. Creates the file. `env` is
 * the environment of the helper program. Throws NoLockProgram or the system's error.
 */
export const tryLock = (path: string, env: Variables): number | null => {
  const fd = locksWhileOpening.includes(process.platform) ? openLocked(path) : openThenLock(path, env)
  if (fd === null || isCurrent(path, fd)) return fd
  fs.closeSync(fd)
  return null
}
