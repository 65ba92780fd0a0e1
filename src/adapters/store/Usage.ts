// Usage: how much a store takes up on its disk, and the file that takes up most of it.
// No link is followed. A file that cannot be looked at counts as empty.
import * as fs from "node:fs"
import { join } from "node:path"
import type { Usage } from "../../services/RunStore.ts"

const entries = (path: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The bytes of a file on its disk: a file may have holes. */
const bytesOf = (path: string): number => {
  try {
    return fs.lstatSync(path).blocks * 512
  } catch {
    return 0
  }
}

/** How much space a directory takes up, with everything in it. */
export const usageOf = (path: string): Usage => {
  let bytes = bytesOf(path)
  let largest: Usage["largest"] = null
  for (const entry of entries(path)) {
    const below = join(path, entry.name)
    const own = entry.isDirectory() ? null : { path: below, bytes: bytesOf(below) }
    const inside = own === null ? usageOf(below) : { bytes: own.bytes, largest: own }
    bytes += inside.bytes
    if ((inside.largest?.bytes ?? 0) > (largest?.bytes ?? 0)) largest = inside.largest
  }
  return { bytes, largest }
}
