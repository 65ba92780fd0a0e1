// Scratches: directories for temporary copies of code, each named after the process that it belongs to.
// A directory whose process lives is never touched. The next invocation removes all others.
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { TargetRef } from "../../core/run/Refs.ts"
import { makeDirectories } from "../process/Directories.ts"
import type { Known } from "../process/Journal.ts"
import { lives } from "../process/Liveness.ts"
import { bootId, processAt } from "../process/ProcessTable.ts"
import { hasCode } from "../process/SystemError.ts"
import { scratchesDirectory } from "./Layout.ts"
import { removeTree } from "./PrivateRepositories.ts"
import { attempt } from "./SmallFile.ts"

const nameOf = ({ boot, pid, ticks }: Known): string =>
  `${pid}.${ticks ?? ""}.${boot ?? ""}.${randomBytes(4).toString("hex")}`

/** The process that a directory belongs to, or null where its name contains none. */
export const ownerOf = (name: string): Known | null => {
  const [, pid, ticks, boot] = /^(\d{1,10})\.(\d*)\.([0-9a-f-]*)\.[0-9a-f]{8}$/.exec(name) ?? []
  return pid === undefined ? null : { pid: Number(pid), ticks: ticks || null, boot: boot || null }
}

/** Makes a new directory for this process in the store of a target. Throws what the system throws. */
export const makeScratch = (target: TargetRef): string => {
  const { pid } = process
  const path = join(scratchesDirectory(target), nameOf({ pid, ticks: processAt(pid)?.ticks ?? null, boot: bootId() }))
  makeDirectories(path)
  return fs.realpathSync(path)
}

const removeEmpty = (directory: string): void => {
  try {
    fs.rmdirSync(directory)
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY") && !hasCode(error, "EEXIST") && !hasCode(error, "ENOENT")) throw error
  }
}

/** Removes a directory of this process. Throws what the system throws. */
export const removeScratch = (path: string): void => {
  removeTree(path)
  removeEmpty(dirname(path))
}

/** Removes the directories in the store of a target whose processes have ended. */
export const clearScratches = Effect.fn("RunStore.clearScratches")((target: TargetRef) => {
  const directory = scratchesDirectory(target)
  return attempt(directory, () => {
    if (!fs.existsSync(directory)) return
    for (const name of fs.readdirSync(directory)) {
      const owner = ownerOf(name)
      if (owner === null || !lives(owner)) removeTree(join(directory, name))
    }
    removeEmpty(directory)
  })
})
