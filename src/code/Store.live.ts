// Store.live: the private repository of a run, which holds frozen code.
// It is a bare repository whose settings this program wrote. It borrows the objects of the user's repository and never
// writes there. Objects are added in packs: this program writes the pack, git its index.
import { createHash, hash, randomBytes } from "node:crypto"
import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, renameSync } from "node:fs"
import { rmSync, writeFileSync, writeSync, writevSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { deflateSync } from "node:zlib"
import { Effect } from "effect"
import { restoreObjects } from "../platform/GitComplaint.ts"
import { systemFault } from "../platform/SystemError.ts"
import { CodeFailed, refused } from "./CodeFailed.ts"
import type { Name } from "./Names.ts"
import { type ObjectFormat, plainText, type Repository } from "./Repository.live.ts"
import { ours, parts } from "./SafeGit.live.ts"

/** A private repository, and the user's repository that it borrows from. */
export interface Store {
  readonly dir: string
  readonly repository: Repository
  /** The bytes of an object's id: 20 or 32. */
  readonly idLength: number
  /** The file with the stat cache to read. */
  readonly cache: string
  /** The file with another one, of a run without frozen copies, which says nothing of objects; null without such a run. */
  readonly seen: string | null
}

/** Runs synchronous file calls on a place; a CodeFailed names the place and the system's error. */
export const tryFiles = <A>(place: string, run: () => A): Effect.Effect<A, CodeFailed> =>
  Effect.try({
    try: run,
    catch: (error) =>
      error instanceof CodeFailed
        ? error
        : new CodeFailed({ reason: { _tag: "System", place, fault: systemFault(error) } })
  })

const synced = (path: string, flags: string, text: string | null): void => {
  const fd = openSync(path, flags, 0o600)
  try {
    if (text !== null) writeFileSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Names an object of a private repository, durably. Git is not asked: killed at that moment, it would leave a lock of the
 * name for ever.
 */
export const setRef = ({ dir }: Pick<Store, "dir">, name: string, id: string): Effect.Effect<void, CodeFailed> =>
  tryFiles(dir, () => {
    // What a killed call leaves is not below `refs`, where it would be a name too.
    const [fresh, path] = [join(dir, `${basename(name)}.new`), join(dir, name)]
    synced(fresh, "w", `${id}\n`)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    renameSync(fresh, path)
    synced(dirname(path), "r", null)
  })

const config = (format: ObjectFormat, more: string): string =>
  `[core]
\trepositoryformatversion = ${format === "sha1" ? 0 : 1}
\thooksPath = /dev/null
\tfsmonitor = false
\tprotectNTFS = false
\tprotectHFS = false
\tattributesFile = /dev/null
\tcheckStat = default
\ttrustctime = true
\tsafecrlf = false
${more}[gc]
\tauto = 0
[maintenance]
\tauto = false
[pack]
\tcompression = 1
[advice]
\tdetachedHead = false
${format === "sha1" ? "" : `[extensions]\n\tobjectFormat = ${format}\n`}`

/**
 * Makes an empty private repository. `alternates` are the object directories that it borrows from; `more` are lines of
 * `[core]` in its settings. Throws the system's error.
 */
export const makeRepository = (
  gitDirectory: string,
  format: ObjectFormat,
  alternates: ReadonlyArray<string>,
  more: string
): void => {
  for (const part of ["objects/info", "objects/pack", "refs/heads", "info"]) {
    mkdirSync(join(gitDirectory, part), { recursive: true, mode: 0o700 })
  }
  writeFileSync(join(gitDirectory, "config"), config(format, more))
  writeFileSync(
    join(gitDirectory, "objects/info/alternates"),
    withBorrowed(alternates).map((one) => `${quotedAlternate(one)}\n`).join("")
  )
  // This file comes last: if it exists, the repository is complete.
  writeFileSync(join(gitDirectory, "HEAD"), "ref: refs/heads/none\n")
}

/** Object directories with those that they borrow from in turn: git follows only a few from one to the next. */
const withBorrowed = (directories: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const visit = (directory: string): ReadonlyArray<string> => {
    if (seen.has(directory)) return []
    seen.add(directory)
    const lines = Buffer.from(plainText(join(directory, "info/alternates")), "latin1").toString().split("\n")
    const plain = lines.filter((line) => /^[^#"]/.test(line))
    return [...plain.flatMap((line) => visit(resolve(directory, line))), directory]
  }
  return directories.flatMap(visit)
}

/** A path in the syntax of `objects/info/alternates`: git unquotes one that begins with a quotation mark. */
const quotedAlternate = (path: string): string =>
  /^[#"]|\n/.test(path) ? `"${path.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"` : path

/** Attributes for `checkout-index` of raw blobs: nothing is converted and nothing runs. */
const raw = "* -text !eol !crlf !filter !ident !working-tree-encoding !diff !merge\n"

/**
 * Opens the private repository in a directory; creates a missing one. A new one also borrows from `lender`, the
 * directory of another, and reads its stat cache. `seen` is the file with the stat cache of a run without copies.
 */
export const openStore = (
  dir: string,
  repository: Repository,
  lender: string | null = null,
  seen: string | null = null
): Effect.Effect<Store, CodeFailed> =>
  tryFiles(dir, () => {
    if (!existsSync(join(dir, "HEAD"))) {
      const borrowed = [repository.objects, ...(lender === null ? [] : [join(lender, "objects")])]
      makeRepository(dir, repository.format, borrowed, "\tbare = true\n")
      writeFileSync(join(dir, "info/attributes"), raw)
    }
    // In a shallow clone, missing objects are no damage.
    const shallow = plainText(join(repository.common, "shallow"))
    if (shallow === "") rmSync(join(dir, "shallow"), { force: true })
    else writeFileSync(join(dir, "shallow"), shallow)
    return {
      dir,
      repository,
      idLength: repository.format === "sha1" ? 20 : 32,
      cache: join(lender ?? dir, "stat-cache"),
      seen
    }
  })

/** A fresh path in the private repository for a file of one call. */
export const scratchPath = ({ dir }: Store, name: string): string =>
  join(dir, `${name}.${process.pid}.${randomBytes(4).toString("hex")}`)

// Objects. Their ids are bytes (latin1) while a tree is built, and hex when git is asked.

type ObjectType = "commit" | "tree" | "blob"
const typeNumbers = { commit: 1, tree: 2, blob: 3 } as const satisfies Record<ObjectType, number>

/** The id of an object, as bytes. */
export const objectId = ({ repository: { format } }: Store, type: ObjectType, content: Uint8Array): string =>
  hash(format, Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]), "binary")

/** An id of bytes in hex, and back. */
export const hexOf = (id: string): string => Buffer.from(id, "latin1").toString("hex")
export const idOf = (hex: string): string => Buffer.from(hex, "hex").toString("latin1")

/** Collects objects for one pack. `add` throws the system's error; `close` makes the pack readable for git. */
export interface Pack {
  readonly add: (type: ObjectType, id: string, content: Uint8Array) => void
  readonly close: Effect.Effect<void, CodeFailed>
}

const mostHeld = 1 << 22

/** An object's header in a pack: its type, and its size in groups of 7 bits after the first 4. */
const packHeader = (type: ObjectType, size: number): Buffer => {
  const bytes = [(typeNumbers[type] << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

// A disk without enough space takes a part; writing the rest throws the system's error.
const writeAll = (fd: number, buffers: ReadonlyArray<Uint8Array>): void => {
  const total = buffers.reduce((sum, one) => sum + one.length, 0)
  const written = writevSync(fd, [...buffers])
  if (written < total) writeFileSync(fd, Buffer.concat(buffers).subarray(written))
}

/** The digest of the whole file, which ends a pack. */
const digestOf = (fd: number, format: ObjectFormat): Buffer => {
  const sum = createHash(format)
  const part = Buffer.allocUnsafe(1 << 20)
  for (let at = 0, got = 1; got > 0; at += got) {
    got = readSync(fd, part, 0, part.length, at)
    sum.update(part.subarray(0, got))
  }
  return sum.digest()
}

/** A new pack of the private repository, removed with the scope if it was not closed. Without objects none is written. */
export const newPack = (store: Store) =>
  Effect.acquireRelease(Effect.sync(() => packIn(store)), ({ abandon }) => Effect.ignore(tryFiles(store.dir, abandon)))

const packIn = (store: Store): Pack & { readonly abandon: () => void } => {
  const { dir, repository: { format } } = store
  const seen = new Set<string>()
  let file: { readonly fd: number; readonly path: string } | null = null
  let held: Array<Uint8Array> = []
  let size = 0
  const flush = ({ fd, path }: { readonly fd: number; readonly path: string }) => {
    try {
      writeAll(fd, held)
    } catch (error) {
      // A full disk gets its space back.
      rmSync(path, { force: true })
      throw error
    }
    held = []
    size = 0
  }
  const add = (type: ObjectType, id: string, content: Uint8Array) => {
    if (seen.has(id)) return
    seen.add(id)
    if (file === null) {
      const path = join(dir, `objects/pack/tmp_${randomBytes(6).toString("hex")}`)
      file = { path, fd: openSync(path, "wx+", 0o600) }
      held = [Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1")]
    }
    const body = deflateSync(content, { level: 1 })
    held.push(packHeader(type, content.length), body)
    size += body.length
    if (size > mostHeld) flush(file)
  }
  const finished = ({ fd, path }: { readonly fd: number; readonly path: string }): string => {
    try {
      flush({ fd, path })
      const count = Buffer.alloc(4)
      count.writeUInt32BE(seen.size)
      writeSync(fd, count, 0, 4, 8)
      const digest = digestOf(fd, format)
      writeSync(fd, digest, 0, digest.length, fstatSync(fd).size)
      fsyncSync(fd)
      const name = join(dir, `objects/pack/pack-${digest.toString("hex")}.pack`)
      renameSync(path, name)
      return name
    } finally {
      closeSync(fd)
    }
  }
  return {
    add,
    abandon: () => {
      if (file === null) return
      closeSync(file.fd)
      rmSync(file.path, { force: true })
    },
    close: Effect.suspend(() => {
      if (file === null) return Effect.void
      const open = file
      file = null
      return Effect.flatMap(
        tryFiles(dir, () => finished(open)),
        (name) => Effect.asVoid(ours({ gitDirectory: dir }, ["index-pack", `--object-format=${format}`, name]))
      )
    })
  }
}

/** Writes some objects; returns their ids in hex, in order. */
export const writeObjects = Effect.fnUntraced(function*(
  store: Store,
  objects: ReadonlyArray<{ readonly type: ObjectType; readonly content: Uint8Array }>
) {
  const pack = yield* newPack(store)
  const ids = yield* tryFiles(store.dir, () =>
    objects.map(({ content, type }) => {
      const id = objectId(store, type, content)
      pack.add(type, id, content)
      return hexOf(id)
    }))
  yield* pack.close
  return ids
}, Effect.scoped)

/** The contents of objects by their hex ids; null for a missing one. Only for contents that fit into memory. */
export const contentsOf = Effect.fnUntraced(function*({ dir }: Pick<Store, "dir">, ids: ReadonlyArray<string>) {
  if (ids.length === 0) return []
  const input = ids.map((id) => `${id}\n`).join("")
  const { out } = yield* ours({ gitDirectory: dir }, ["cat-file", "--batch"], { input })
  let at = 0
  return ids.map(() => {
    const end = out.indexOf("\n", at)
    const [, type, size = "0"] = out.slice(at, end).split(" ")
    if (type === "missing") {
      at = end + 1
      return null
    }
    const from = end + 1
    at = from + Number(size) + 1
    return Buffer.from(out.slice(from, at - 1), "latin1")
  })
})

/** A failure because objects are missing, as a partial clone may lack them, or are damaged. */
export const lacking = ({ isPartial }: Repository, objects: string, consequence: string, howToFetch: string) =>
  refused(
    isPartial
      ? `this partial clone lacks ${objects}${consequence} [${howToFetch}]`
      : `git cannot read ${objects}${consequence} [${restoreObjects}]`
  )

/** The contents of some entries, by id. Fails if one is missing. */
export const contentsById = Effect.fnUntraced(function*(store: Store, entries: Iterable<Entry>) {
  const ids = [...new Set([...entries].map(({ id }) => id))]
  const found = yield* contentsOf(store, ids)
  const byId = new Map<string, Buffer>()
  for (const [i, id] of ids.entries()) {
    const content = found[i] ?? null
    if (content === null) {
      return yield* lacking(store.repository, `object ${id.slice(0, 12)}`, "", "git fetch --refetch gets it")
    }
    byId.set(id, content)
  }
  return byId
})

/** The sizes of objects in bytes, in the order of their ids; null for a missing one. */
export const sizesOf = Effect.fnUntraced(function*({ dir }: Pick<Store, "dir">, ids: ReadonlyArray<string>) {
  if (ids.length === 0) return []
  const input = ids.map((id) => `${id}\n`).join("")
  const { out } = yield* ours({ gitDirectory: dir }, ["cat-file", "--batch-check=%(objectsize)"], { input })
  const lines = out.split("\n")
  return ids.map((_, i) => /^\d+$/.test(lines[i] ?? "") ? Number(lines[i]) : null)
})

/** What a tree holds at a path: its mode (100644, 100755, 120000) and the hex id of its blob. */
export interface Entry {
  readonly mode: string
  readonly id: string
}

/** The files and links of a tree, by name. */
export type Tree = ReadonlyMap<Name, Entry>

// One command asks for the same few trees again and again, and a large one takes long to list.
const mostRemembered = 3

/** Asks once for each of the last few names while a store is open: an object never changes. */
const remembered = <A>(ask: (store: Pick<Store, "dir">, name: string) => Effect.Effect<A, CodeFailed>) => {
  const stores = new WeakMap<Pick<Store, "dir">, Map<string, A>>()
  return Effect.fnUntraced(function*(store: Pick<Store, "dir">, name: string) {
    const known = stores.get(store) ?? new Map<string, A>()
    stores.set(store, known)
    const found = known.get(name) ?? (yield* ask(store, name))
    const [oldest = ""] = known.keys()
    if (known.size >= mostRemembered) known.delete(oldest)
    known.set(name, found)
    return found
  })
}

/** The trees of commits, by the ids of both. */
export const treeOf = remembered(({ dir }, commit) =>
  Effect.map(
    ours({ gitDirectory: dir }, ["rev-parse", "--verify", `${commit}^{tree}`]),
    ({ out }) => out.trim()
  )
)

const listed = Effect.fnUntraced(function*({ dir }: Pick<Store, "dir">, tree: string) {
  const { out } = yield* ours({ gitDirectory: dir }, ["ls-tree", "-r", "-z", "--full-tree", tree])
  const entries: Tree = new Map(
    parts(out).map((line) => {
      const tab = line.indexOf("\t")
      const [mode = "", , id = ""] = line.slice(0, tab).split(" ")
      return [line.slice(tab + 1), { mode, id }] as const
    })
  )
  return entries
})

/** All files and links of a tree, by its id. */
export const entriesOf = remembered(listed)

/** A directory of a tree that is being written. */
interface Directory extends Map<Name, Entry | Directory> {}

/** The directories of files and links. */
const directoriesOf = (entries: Tree): Directory => {
  const top: Directory = new Map()
  for (const [path, entry] of entries) {
    const names = path.split("/")
    const last = names.pop() ?? ""
    let at = top
    for (const name of names) {
      const known = at.get(name)
      const inner: Directory = known instanceof Map ? known : new Map()
      at.set(name, inner)
      at = inner
    }
    at.set(last, entry)
  }
  return top
}

/** Writes the tree of files and links; returns its id in hex. Names may be such that git's index refuses them. */
export const writeTree = Effect.fnUntraced(function*(store: Store, entries: Tree) {
  const pack = yield* newPack(store)
  const write = (directory: Directory): string => {
    const lines = new Map([...directory].map(([name, one]) =>
      one instanceof Map
        ? [`${name}/`, `40000 ${name}\0${write(one)}`] as const
        : [name, `${one.mode} ${name}\0${idOf(one.id)}`] as const
    ))
    // In the order of a tree a directory's name ends with a slash.
    const content = Buffer.from([...lines.keys()].sort().map((name) => lines.get(name) ?? "").join(""), "latin1")
    const id = objectId(store, "tree", content)
    pack.add("tree", id, content)
    return id
  }
  const id = yield* tryFiles(store.dir, () => hexOf(write(directoriesOf(entries))))
  yield* pack.close
  return id
}, Effect.scoped)
