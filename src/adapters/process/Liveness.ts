// Liveness: whether a recorded process lives, and whether anybody holds a lock.
// A pid alone proves nothing, because it is used again: its start ticks and the boot must be the recorded ones.
import { closeSync, openSync } from "node:fs"
import type { Variables } from "../../services/Environment.ts"
import { flockEach } from "./Flock.ts"
import { hasCode } from "./SystemError.ts"
import { bootId, processAt } from "./ProcessTable.ts"
import type { Known } from "./Journal.ts"

/** Whether a recorded process still lives. A few file reads; where there is no /proc, its number must do. */
export const lives = ({ boot: recorded, pid, ticks }: Known): boolean => {
  const boot = recorded === null ? null : bootId()
  if (boot !== null && recorded !== boot) return false
  if (ticks !== null) return processAt(pid)?.ticks === ticks
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, "EPERM")
  }
}

/** Whether each lock file is held by anyone, in one helper process. A missing file is not held. */
export const locksHeld = (paths: ReadonlyArray<string>, env: Variables): ReadonlyArray<boolean> => {
  const opened: Array<{ readonly index: number; readonly fd: number }> = []
  try {
    paths.forEach((path, index) => {
      try {
        opened.push({ index, fd: openSync(path, "r") })
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error
      }
    })
    const free = flockEach(opened.map(({ fd }) => fd), "shared", env)
    const held = new Set(opened.filter((_, at) => free[at] === false).map(({ index }) => index))
    return paths.map((_, index) => held.has(index))
  } finally {
    for (const { fd } of opened) closeSync(fd)
  }
}
