// Disk: a file system in memory that knows what was synced, and every state that a power loss may leave.
// Strict as POSIX, not kind as ext4; an fsync of a file does not make its directory entry durable.
import type { FileFacts, Files } from "../../../src/log/Files.live.ts"

type Change = { readonly at: number; readonly bytes: Uint8Array } | { readonly cutTo: number }

/** A file: its durable bytes, the unsynced changes, and what processes see. */
interface FileNode {
  kept: Uint8Array
  readonly since: Array<Change>
  now: Uint8Array
}

/** A directory: each name with the nodes that it may have after a power loss; processes see the last one. */
type Directory = Map<string, Array<number | null>>

const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: '${path}'`), { code, errno: -1, syscall: "disk" })

const apply = (bytes: Uint8Array, change: Change): Uint8Array => {
  if ("cutTo" in change) return bytes.slice(0, change.cutTo)
  const result = new Uint8Array(Math.max(bytes.length, change.at + change.bytes.length))
  result.set(bytes)
  result.set(change.bytes, change.at)
  return result
}

const nulled = (bytes: Uint8Array, from: number, to: number): Uint8Array => Uint8Array.from(bytes).fill(0, from, to)

/** What one unsynced change may leave: nothing, all of it, a beginning, or its size without all of its bytes. */
const partly = (bytes: Uint8Array, change: Change): ReadonlyArray<Uint8Array> => {
  if ("cutTo" in change) return [bytes, apply(bytes, change)]
  const { at, bytes: data } = change
  const half = data.length >> 1
  const versions = [
    data,
    data.subarray(0, 1),
    data.subarray(0, half),
    data.subarray(0, -1),
    nulled(data, 0, data.length),
    nulled(data, 0, half),
    nulled(data, half, data.length),
    nulled(data, half, half + 9)
  ]
  return [bytes, ...versions.map((version) => apply(bytes, { at, bytes: version }))]
}

const distinct = (all: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => [
  ...new Map(all.map((bytes) => [Buffer.from(bytes).toString("latin1"), bytes])).values()
]

const contentsOf = (file: FileNode): ReadonlyArray<Uint8Array> =>
  file.since.reduce<ReadonlyArray<Uint8Array>>(
    (states, change) => distinct(states.flatMap((bytes) => partly(bytes, change))),
    [file.kept]
  )

/** Every way to choose one value from each list. */
function* choices<A>(lists: ReadonlyArray<ReadonlyArray<A>>): Generator<ReadonlyArray<A>> {
  const [first, ...rest] = lists
  if (first === undefined) return yield []
  for (const tail of choices(rest)) for (const value of first) yield [value, ...tail]
}

/** A file system in memory. `onCall` runs before every call, and may throw. */
export class Disk {
  readonly #files = new Map<number, FileNode>()
  readonly #directories = new Map<string, Directory>([["/", new Map()]])
  readonly #open = new Map<number, { readonly node: number; readonly path: string }>()
  #next = 1
  onCall: (call: keyof Files) => void = () => {}

  /** A disk that holds just these files, durably. */
  static of(files: ReadonlyMap<string, Uint8Array>): Disk {
    const disk = new Disk()
    for (const [path, bytes] of files) {
      disk.#makeDirectory(parent(path))
      disk.#entries(parent(path)).set(name(path), [disk.#newFile(bytes)])
    }
    for (const directory of disk.#directories.keys()) disk.files.syncDirectory(directory)
    return disk
  }

  /** What a process sees in a file, or null. */
  see(path: string): Uint8Array | null {
    const node = this.#directories.get(parent(path))?.get(name(path))?.at(-1)
    return node === undefined || node === null || node < 0 ? null : this.#file(node).now
  }

  /** Every disk that a power loss at this moment may leave. */
  *afterPowerLoss(): Generator<Disk> {
    const slots = [...this.#directories].flatMap(([directory, entries]) =>
      [...entries].map(([file, nodes]) => [...new Set(nodes)].map((node) => ({ path: join(directory, file), node })))
    )
    for (const entries of choices(slots)) {
      const present = entries.flatMap(({ node, path }) => node === null ? [] : [{ node, path }])
      const directories = new Set(present.filter(({ node }) => node < 0).map(({ path }) => path))
      const reachable = present.filter(({ node, path }) => node > 0 && ancestors(path).every((p) => directories.has(p)))
      const contents = reachable.map(({ node, path }) => contentsOf(this.#file(node)).map((bytes) => ({ path, bytes })))
      for (const files of choices(contents)) yield Disk.of(new Map(files.map(({ bytes, path }) => [path, bytes])))
    }
  }

  /** The file calls of a process on this disk. */
  readonly files: Files = {
    open: (path, mode) => {
      this.onCall("open")
      const entries = this.#entries(parent(path))
      const earlier = entries.get(name(path)) ?? [null]
      let node = mode === "replace" ? null : earlier.at(-1) ?? null
      if (node === null && (mode === "read" || mode === "append")) throw failure("ENOENT", path)
      if (node === null) {
        node = this.#newFile(new Uint8Array(0))
        entries.set(name(path), [...earlier, ...(mode === "replace" ? [null] : []), node])
      }
      const fd = this.#next++
      this.#open.set(fd, { node, path })
      return fd
    },
    read: (fd, into, position) => {
      this.onCall("read")
      const bytes = this.#opened(fd).now.subarray(Math.max(0, position), position + into.length)
      into.set(bytes)
      return bytes.length
    },
    write: (fd, bytes) => {
      this.onCall("write")
      this.#change(this.#node(fd), { at: this.#opened(fd).now.length, bytes: bytes.slice() })
      return bytes.length
    },
    datasync: (fd) => {
      this.onCall("datasync")
      const file = this.#opened(fd)
      file.kept = file.now
      file.since.length = 0
    },
    truncate: (fd, size) => {
      this.onCall("truncate")
      this.#change(this.#node(fd), { cutTo: size })
    },
    close: (fd) => {
      this.#open.delete(fd)
    },
    size: (fd) => this.#opened(fd).now.length,
    rename: (from, to) => {
      this.onCall("rename")
      const entries = this.#entries(parent(from))
      const node = entries.get(name(from))?.at(-1) ?? null
      if (node === null) throw failure("ENOENT", from)
      entries.set(name(to), [...entries.get(name(to)) ?? [null], node])
      entries.set(name(from), [...entries.get(name(from)) ?? [], null])
    },
    list: (directory) =>
      [...this.#entries(directory)].flatMap(([file, nodes]) => (nodes.at(-1) ?? null) === null ? [] : [file]),
    facts: (path): FileFacts => ({
      dev: 1,
      ino: 1,
      uid: path === "/" ? 0 : 1,
      mode: path === "/" ? 0o755 : 0o700,
      size: this.see(path)?.length ?? 0
    }),
    makeDirectory: (path) => {
      this.onCall("makeDirectory")
      this.#makeDirectory(path)
    },
    syncDirectory: (path) => {
      this.onCall("syncDirectory")
      const entries = this.#entries(path)
      for (const [file, nodes] of entries) entries.set(file, nodes.slice(-1))
    }
  }

  #newFile(bytes: Uint8Array): number {
    this.#files.set(this.#next, { kept: bytes, since: [], now: bytes })
    return this.#next++
  }

  #makeDirectory(path: string): void {
    if (this.#directories.has(path)) return
    this.#makeDirectory(parent(path))
    this.#directories.set(path, new Map())
    this.#entries(parent(path)).set(name(path), [null, -this.#next++])
  }

  #entries(path: string): Directory {
    const entries = this.#directories.get(path)
    if (entries === undefined) throw failure("ENOENT", path)
    return entries
  }

  #file(node: number): FileNode {
    const file = this.#files.get(node)
    if (file === undefined) throw new Error("no such node")
    return file
  }

  #node(fd: number): number {
    const opened = this.#open.get(fd)
    if (opened === undefined) throw failure("EBADF", String(fd))
    return opened.node
  }

  #opened(fd: number): FileNode {
    return this.#file(this.#node(fd))
  }

  #change(node: number, change: Change): void {
    const file = this.#file(node)
    file.since.push(change)
    file.now = apply(file.now, change)
  }
}

const parent = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"
const name = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
const join = (directory: string, file: string): string => directory === "/" ? `/${file}` : `${directory}/${file}`
const ancestors = (path: string): ReadonlyArray<string> =>
  parent(path) === "/" ? [] : [parent(path), ...ancestors(parent(path))]
