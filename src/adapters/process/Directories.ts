// Directories: makes a directory with all that lead to it, private to the user.
// Each is tried a few times at most. Node's own `recursive` tries for ever where ENOENT persists, as in /proc.
import { chmodSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { hasCode } from "./SystemError.ts"

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Makes one directory unless it is there. False when its parent is missing. */
const made = (path: string): boolean => {
  try {
    mkdirSync(path, { mode: 0o700 })
    // Another umask than usual takes even from the user what a directory needs.
    if ((statSync(path).mode & 0o777) !== 0o700) chmodSync(path, 0o700)
    return true
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false
    if (isDirectory(path)) return true
    throw error
  }
}

/** Makes a directory unless it is there, its parents first. Throws what the system throws. */
export const makeDirectories = (path: string): void => {
  if (made(path)) return
  const parent = dirname(path)
  if (parent !== path && !isDirectory(parent)) makeDirectories(parent)
  // Tried once more, so that it throws its error.
  if (!made(path)) mkdirSync(path, { mode: 0o700 })
}
