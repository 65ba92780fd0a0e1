// Store.live: the private repository of a run, which holds frozen code.
// It is a bare repository whose settings this program wrote. It borrows the objects of the user's repository and never
// writes there. Objects are added in packs: this program writes the pack, git its index.
import { createHash, hash, randomBytes } from "node:crypto"
import { chmodSync, closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readdirSync } from "node:fs"
import { readSync, renameSync, rmSync, statSync, writeFileSync, writeSync, writevSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { deflateSync } from "node:zlib"
import { Effect } from "effect"
import { openOnDisk, sliceOf, withFile } from "../platform/Files.ts"
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

/** A digest that changes when objects of the user's repository may have gone: of the times of their directories. */
export const lendersNow = ({ repository: { objects } }: Store): string => {
  const lenders = withBorrowed([objects]).filter((one) => existsSync(one))
  const places = lenders.flatMap((one) => readdirSync(one).map((name) => join(one, name)))
  const times = places.map((one) => `${one} ${statSync(one, { throwIfNoEntry: false })?.ctimeMs ?? ""}`)
  return hash("sha256", times.join("\n"), "hex")
}

/** A path in the syntax of `objects/info/alternates`: git unquotes one that begins with a quotation mark. */
export const quotedAlternate = (path: string): string =>
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
    const idLength = repository.format === "sha1" ? 20 : 32
    return {
      dir,
      repository,
      idLength,
      // Who only reads repairs nothing, and then believes no cache either.
      cache: join(lender === null || unindexed(lender, idLength).length > 0 ? dir : lender, "stat-cache"),
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

/** The digest of the first bytes of a file, which ends a pack. */
const digestOf = (fd: number, format: ObjectFormat, length: number): Buffer => {
  const sum = createHash(format)
  const part = Buffer.allocUnsafe(1 << 20)
  for (let at = 0, got = 1; got > 0 && at < length; at += got) {
    got = readSync(fd, part, 0, Math.min(part.length, length - at), at)
    sum.update(part.subarray(0, got))
  }
  return sum.digest()
}

// Git sees a pack once its index is there, which comes last.

const packsIn = (dir: string): string => join(dir, "objects/pack")

/** The paths of the packs of a private repository, without `.pack`. */
const stemsIn = (dir: string): ReadonlyArray<string> =>
  readdirSync(packsIn(dir)).flatMap((name) => /^pack-.*(?=\.pack$)/.exec(name) ?? []).map((one) =>
    join(packsIn(dir), one)
  )

/** Those without an index that ends with the digest of the pack and one of its own. Throws the system's error. */
const unindexed = (dir: string, length: number): ReadonlyArray<string> => {
  const digestAt = (path: string, back: number) =>
    openOnDisk(path, (file) => file?.slice(Math.max(0, file.size - back), length).toString("hex") ?? "")
  return stemsIn(dir).filter((stem) => digestAt(`${stem}.idx`, 2 * length) !== digestAt(`${stem}.pack`, length))
}

/** Whether a pack is what was written, by the digest that ends it. Throws the system's error. */
const isWhole = (pack: string, { idLength, repository: { format } }: Store): boolean =>
  withFile(pack, (fd) => {
    const length = Math.max(0, fstatSync(fd).size - idLength)
    return digestOf(fd, format, length).equals(sliceOf(fd, length, idLength))
  })

/** Shows a pack to git, with its index, at a path without `.pack`. Throws the system's error. */
const publish = (pack: string, index: string, to: string): void => {
  for (const path of [pack, index]) {
    chmodSync(path, 0o600)
    synced(path, "r", null)
  }
  renameSync(pack, `${to}.pack`)
  renameSync(index, `${to}.idx`)
  synced(dirname(to), "r", null)
}

/** Has git index a pack, and shows it. */
const indexed = (store: Store, pack: string, to: string) => {
  const { dir, repository: { format } } = store
  const index = scratchPath(store, "pack-index")
  const made = ours({ gitDirectory: dir }, ["index-pack", `--object-format=${format}`, "-o", index, pack])
  return Effect.ensuring(
    Effect.andThen(made, tryFiles(dir, () => publish(pack, index, to))),
    Effect.sync(() => rmSync(index, { force: true }))
  )
}

/**
 * Repairs a private repository for who holds a lock of its run: makes an index anew that a full disk cut off. A pack that
 * is damaged is moved aside, and the failure names it, once.
 */
export const repair = Effect.fnUntraced(function*(store: Store) {
  for (const stem of yield* tryFiles(store.dir, () => unindexed(store.dir, store.idLength))) {
    const pack = `${stem}.pack`
    if (yield* tryFiles(pack, () => isWhole(pack, store))) yield* indexed(store, pack, stem)
    else {
      yield* tryFiles(pack, () => {
        rmSync(store.cache, { force: true })
        renameSync(pack, `${pack}.damaged`)
      })
      return yield* refused(`${pack} is damaged, now *.damaged: what only it held of this run is gone [call again]`)
    }
  }
})

// Bytes. A smaller pack becomes a part of the next one.
const smallPack = 8 << 20

/**
 * Copies all that a commit leads to into the private repository, so that no change of the user's can lose it. Fails if
 * anything of it is missing, whatever earlier ones lack.
 */
export const adopt = Effect.fnUntraced(
  function*({ dir }: Store, commit: string) {
    const stems = yield* tryFiles(dir, () => stemsIn(dir).filter((stem) => existsSync(`${stem}.idx`)))
    const small = yield* tryFiles(dir, () => stems.filter((stem) => statSync(`${stem}.pack`).size < smallPack))
    const kept = stems.filter((stem) => !small.includes(stem)).map((stem) => `--keep-pack=${basename(stem)}.pack`)
    const how = ["-q", "--revs", "--keep-unreachable", "--delta-base-offset", ...kept, join(packsIn(dir), "tmp_")]
    const { out } = yield* ours({ gitDirectory: dir }, ["pack-objects", ...how], { input: `${commit}\n` })
    yield* tryFiles(dir, () => {
      const [made, to] = ["tmp_", "pack"].map((begin) => join(packsIn(dir), `${begin}-${out.trim()}`))
      publish(`${made}.pack`, `${made}.idx`, `${to}`)
      const old = small.filter((stem) => stem !== to).flatMap((stem) => [`${stem}.pack`, `${stem}.idx`])
      for (const path of old) rmSync(path, { force: true })
    })
  },
  // A git that was cut off leaves a file, which may be large.
  (adopted, { dir }) =>
    Effect.ensuring(
      adopted,
      Effect.ignore(tryFiles(dir, () => {
        const left = readdirSync(packsIn(dir)).filter((name) => name.startsWith("tmp_"))
        for (const name of left) rmSync(join(packsIn(dir), name), { force: true })
      }))
    )
)

/** A new pack of the private repository, removed with the scope if it was not closed. Without objects none is written. */
export const newPack = (store: Store) =>
  Effect.acquireRelease(Effect.sync(() => packIn(store)), ({ abandon }) => Effect.ignore(tryFiles(store.dir, abandon)))

const packIn = (store: Store): Pack & { readonly abandon: () => void } => {
  const { dir, repository: { format } } = store
  const seen = new Set<string>()
  const path = scratchPath(store, "pack")
  let file: number | null = null
  let held: Array<Uint8Array> = []
  let size = 0
  const flush = (fd: number) => {
    writeAll(fd, held)
    held = []
    size = 0
  }
  const add = (type: ObjectType, id: string, content: Uint8Array) => {
    if (seen.has(id)) return
    seen.add(id)
    if (file === null) {
      file = openSync(path, "wx+", 0o600)
      held = [Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1")]
    }
    const body = deflateSync(content, { level: 1 })
    held.push(packHeader(type, content.length), body)
    size += body.length
    if (size > mostHeld) flush(file)
  }
  const finished = (fd: number): string => {
    flush(fd)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(seen.size)
    writeSync(fd, count, 0, 4, 8)
    const { size } = fstatSync(fd)
    const digest = digestOf(fd, format, size)
    writeSync(fd, digest, 0, digest.length, size)
    return digest.toString("hex")
  }
  return {
    add,
    // A full disk gets its space back.
    abandon: () => {
      if (file !== null) closeSync(file)
      rmSync(path, { force: true })
    },
    close: Effect.suspend(() => {
      if (file === null) return Effect.void
      const fd = file
      return Effect.flatMap(
        tryFiles(dir, () => finished(fd)),
        (digest) => indexed(store, path, join(packsIn(dir), `pack-${digest}`))
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
