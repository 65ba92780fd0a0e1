// StatCache.live: which files have been read before, so that the next freeze reads only what may have changed.
// A row counts for a file with the same device, inode, size, times and mode as when it was read. A file that was
// written less than two seconds before it was read gets no row: a later write might leave the same times.
//
// A run without frozen copies has no objects of its own, so its cache knows only files.
//
// The file: four numbers (rows, bytes of an id, bytes of all names, other objects), what `lendersNow` said when all
// objects were there, the stats as doubles, the ids, the names separated by NUL, and the ids of the other objects that the
// private repository has or borrows: trees, links and files without a row.
import { readFileSync, renameSync, type Stats, writeFileSync } from "node:fs"
import { scratchPath, type Store } from "./Store.live.ts"
import { type Name, placesIn } from "./Names.ts"

// The doubles of a row: device, inode, size, time of content, time of change, mode.
const width = 6
const lendersAt = 16
const headBytes = lendersAt + 64

/** The files that were read before. */
export interface StatCache {
  /** The number of a path's row; undefined if it was never read. */
  readonly rowOf: (path: Name) => number | undefined
  /** The id (bytes) in a row if the file has the same stat; undefined if it must be read. */
  readonly idIn: (row: number, stat: Stats) => string | undefined
  readonly size: number
  readonly isEmpty: boolean
  /** Whether it knows any object that the private repository has or borrows. */
  readonly knowsObjects: boolean
  /** Whether the private repository has or borrows a blob or tree, by its id in bytes. */
  readonly hasBlob: (id: string) => boolean
  readonly hasTree: (id: string) => boolean
  /** What `lendersNow` said when all objects were there. */
  readonly lenders: string
  /** The ids of all objects in hex, each with a newline. */
  readonly lines: () => string
}

/** The rows of the next cache, in the order of a walk. */
export interface Rows {
  readonly size: () => number
  /** Adds a file that was read, with its stat from before and its id in bytes. */
  readonly add: (path: Name, stat: Stats, id: string) => void
  readonly names: () => Uint8Array
  readonly ids: () => Uint8Array
  readonly stats: () => Uint8Array
}

/** No rows yet. They are kept as plain numbers: for 100,000 files objects would take much time and memory. */
export const newRows = (): Rows => {
  const [paths, ids]: [Array<Name>, Array<string>] = [[], []]
  let stats = new Float64Array(1024 * width)
  return {
    size: () => paths.length,
    add: (path, { ctimeMs, dev, ino, mode, mtimeMs, size }, id) => {
      const at = paths.length * width
      if (at === stats.length) {
        const more = new Float64Array(2 * at)
        more.set(stats)
        stats = more
      }
      stats[at] = dev
      stats[at + 1] = ino
      stats[at + 2] = size
      stats[at + 3] = mtimeMs
      stats[at + 4] = ctimeMs
      stats[at + 5] = mode
      paths.push(path)
      ids.push(id)
    },
    names: () => Buffer.from(paths.join("\0"), "latin1"),
    ids: () => Buffer.from(ids.join(""), "latin1"),
    stats: () => new Uint8Array(stats.buffer, 0, paths.length * width * stats.BYTES_PER_ELEMENT)
  }
}

/** A cache that knows nothing, so that everything is read. */
export const nothing = (): StatCache => ({
  rowOf: () => undefined,
  idIn: () => undefined,
  size: 0,
  isEmpty: true,
  knowsObjects: false,
  hasBlob: () => false,
  hasTree: () => false,
  lenders: "",
  lines: () => ""
})

const parsed = (raw: Buffer, idLength: number): StatCache => {
  const [count, length, namesLength, otherCount] = [0, 4, 8, 12].map((at) => raw.readUInt32LE(at))
  if (count === undefined || namesLength === undefined || otherCount === undefined || length !== idLength) {
    return nothing()
  }
  const idsAt = headBytes + 8 * width * count
  const namesAt = idsAt + length * count
  const othersAt = namesAt + namesLength
  // A truncated file: it was being written when the machine went down.
  if (raw.length !== othersAt + otherCount * length) return nothing()
  const stats = new Float64Array(raw.buffer.slice(raw.byteOffset + headBytes, raw.byteOffset + idsAt))
  const ids = raw.toString("latin1", idsAt, namesAt)
  const names = count > 0 ? raw.toString("latin1", namesAt, othersAt).split("\0") : []
  const idAt = (row: number): string => ids.slice(row * length, (row + 1) * length)
  const others = new Set<string>()
  for (let at = othersAt; at < raw.length; at += length) others.add(raw.toString("latin1", at, at + length))
  // Needed only for a file that has changed.
  let blobs: ReadonlySet<string> | null = null
  return {
    // The rows are in the order of the walk that wrote them.
    rowOf: placesIn(names),
    idIn: (row, { ctimeMs, dev, ino, mode, mtimeMs, size }) => {
      const at = row * width
      const same = stats[at] === dev && stats[at + 1] === ino && stats[at + 2] === size &&
        stats[at + 3] === mtimeMs && stats[at + 4] === ctimeMs && stats[at + 5] === mode
      return same ? idAt(row) : undefined
    },
    size: count,
    isEmpty: count === 0 && otherCount === 0,
    knowsObjects: otherCount > 0,
    hasBlob: (id) =>
      others.has(id) || (blobs ??= new Set(Array.from({ length: count }, (_, row) => idAt(row)))).has(id),
    hasTree: (id) => others.has(id),
    lenders: raw.toString("latin1", lendersAt, headBytes),
    lines: () =>
      (raw.toString("hex", idsAt, namesAt) + raw.toString("hex", othersAt))
        .replace(new RegExp(`.{${2 * length}}`, "g"), "$&\n")
  }
}

/** The cache in a file; empty if it is missing or damaged. */
export const loadCache = (store: Store, file: string = store.cache): StatCache => {
  try {
    return parsed(readFileSync(file), store.idLength)
  } catch {
    return nothing()
  }
}

/** Replaces the cache in a file; `others`: objects without a row, by their ids in bytes. Throws the system's error. */
export const saveCache = (
  store: Store,
  rows: Rows,
  others: ReadonlySet<string>,
  lenders: string,
  file: string = store.cache
): void => {
  const names = rows.names()
  const head = Buffer.alloc(headBytes)
  const numbers = [rows.size(), store.idLength, names.length, others.size]
  numbers.forEach((value, i) => head.writeUInt32LE(value, 4 * i))
  head.write(lenders, lendersAt, "latin1")
  const objects = Buffer.from([...others].join(""), "latin1")
  const fresh = scratchPath(store, "stat-cache")
  writeFileSync(fresh, Buffer.concat([head, rows.stats(), rows.ids(), names, objects]))
  renameSync(fresh, file)
}
