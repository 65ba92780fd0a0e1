// ExitFile: the exit status of a command, the last thing that its wrapper writes.
import { existsSync, readFileSync } from "node:fs"
import { hasCode } from "./SystemError.ts"

/** The exit status that a text is, or null where it is none. */
export const statusIn = (text: string): number | null => /^\d{1,3}\n$/.test(text) ? Number(text) : null

/** The exit status in a file, or null where there is none yet. Throws what the system throws. */
export const exitStatus = (path: string): number | null => {
  // Asked ten times a second of every living command, so a file that is missing must not cost an error.
  if (!existsSync(path)) return null
  try {
    return statusIn(readFileSync(path, "latin1"))
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null
    throw error
  }
}
