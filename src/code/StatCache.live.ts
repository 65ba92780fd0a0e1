// StatCache.live: which files have been read before, so that the next freeze reads only what may have changed.
// A row counts for a file with the same device, inode, size, times and mode as when it was read. A file that was
// written less than two seconds before it was read gets no row: a later write might leave the same times.
//
// The file: four numbers (rows, bytes of an id, bytes of all names, known objects), the stats as doubles, the ids, the
// names separated by NUL, and the ids of the objects that the private repository has or borrows.
import { readFileSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs"
import { join } from "node:path"
import { scratchPath, type Store } from "./Store.live.ts"
import { type Name, placesIn } from "./Names.ts"

// The doubles of a row: device, inode, size, time of content, time of change, mode.
const width = 6
const headBytes = 16

/** The files that were read before. */
export interface StatCache {
  /** The number of a path's row; undefined if it was never read. */
  readonly rowOf: (path: Name) => number | undefined
  /** The id (bytes) in a row if the file has the same stat; undefined if it must be read. */
  readonly idIn: (row: number, stat: Stats) => string | undefined
  /** A row as it was read. */
  readonly rowAt: (row: number) => Row
  readonly size: number
  /** The objects that the private repository has or borrows, by their ids in bytes. */
  readonly known: Set<string>
}

/**
 * A file that was read, and its stat from before, as plain numbers: for 100,000 files objects would take much memory.
 */
export interface Row {
  readonly path: Name
  readonly stat: ArrayLike<number>
  readonly id: string
}

/** The numbers of a stat that show whether a file is unchanged. */
export const statNumbers = ({ ctimeMs, dev, ino, mode, mtimeMs, size }: Stats): ReadonlyArray<number> => [
  dev,
  ino,
  size,
  mtimeMs,
  ctimeMs,
  mode
]

const nothing = (): StatCache => ({
  rowOf: () => undefined,
  idIn: () => undefined,
  rowAt: () => ({ path: "", stat: [], id: "" }),
  size: 0,
  known: new Set()
})

const parsed = (raw: Buffer, idLength: number): StatCache => {
  const [count, length, namesLength, knownCount] = [0, 4, 8, 12].map((at) => raw.readUInt32LE(at))
  if (count === undefined || namesLength === undefined || knownCount === undefined || length !== idLength) {
    return nothing()
  }
  const idsAt = headBytes + 8 * width * count
  const namesAt = idsAt + length * count
  const knownAt = namesAt + namesLength
  // A truncated file: it was being written when the machine went down.
  if (raw.length !== knownAt + knownCount * length) return nothing()
  const stats = new Float64Array(raw.buffer.slice(raw.byteOffset + headBytes, raw.byteOffset + idsAt))
  const ids = raw.toString("latin1", idsAt, namesAt)
  const names = count > 0 ? raw.toString("latin1", namesAt, knownAt).split("\0") : []
  const idAt = (row: number): string => ids.slice(row * length, (row + 1) * length)
  const known = new Set<string>()
  for (let at = knownAt; at < raw.length; at += length) known.add(raw.toString("latin1", at, at + length))
  return {
    // The rows are in the order of the walk that wrote them.
    rowOf: placesIn(names),
    idIn: (row, { ctimeMs, dev, ino, mode, mtimeMs, size }) => {
      const at = row * width
      const same = stats[at] === dev && stats[at + 1] === ino && stats[at + 2] === size &&
        stats[at + 3] === mtimeMs && stats[at + 4] === ctimeMs && stats[at + 5] === mode
      return same ? idAt(row) : undefined
    },
    rowAt: (row) => ({
      path: names[row] ?? "",
      stat: stats.subarray(row * width, (row + 1) * width),
      id: idAt(row)
    }),
    size: count,
    known
  }
}

/** The cache of a private repository; empty if it is missing or damaged. */
export const loadCache = (store: Store): StatCache => {
  try {
    return parsed(readFileSync(store.cache), store.idLength)
  } catch {
    return nothing()
  }
}

/** Replaces the cache. Throws the system's error. */
export const saveCache = (store: Store, rows: ReadonlyArray<Row>, known: ReadonlySet<string>): void => {
  const stats = new Float64Array(rows.length * width)
  rows.forEach(({ stat }, i) => stats.set(stat, i * width))
  const names = Buffer.from(rows.map(({ path }) => path).join("\0"), "latin1")
  const head = Buffer.alloc(headBytes)
  const numbers = [rows.length, store.idLength, names.length, known.size]
  numbers.forEach((value, i) => head.writeUInt32LE(value, 4 * i))
  const ids = Buffer.from(rows.map(({ id }) => id).join(""), "latin1")
  const objects = Buffer.from([...known].join(""), "latin1")
  const fresh = scratchPath(store, "stat-cache")
  writeFileSync(fresh, Buffer.concat([head, Buffer.from(stats.buffer), ids, names, objects]))
  renameSync(fresh, store.cache)
}

/** Removes the cache of the private repository at a path. Throws the system's error. */
export const forgetCache = (dir: string): void => rmSync(join(dir, "stat-cache"), { force: true })
