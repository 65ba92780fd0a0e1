// SnapshotRestore.live: putting a worktree back to a snapshot.
import * as fs from "node:fs"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Option, Schema, type Scope } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { whyNot } from "../platform/Exec.ts"
import { git, gitBytes, gitOutput, tryFiles } from "../platform/GitCommand.ts"
import { hasCode, systemFault } from "../platform/SystemError.ts"
import { undoFile } from "../run/Layout.live.ts"
import { replaceFile } from "../run/SmallFile.live.ts"
import { jsonText } from "../text/Json.ts"
import { inOwn } from "./FrozenCopy.live.ts"
import { isRepository, nameOf, placeOf } from "./Index.live.ts"
import type { Scratch } from "./Scratch.live.ts"
import {
  type Entry,
  factsAt,
  isWithin,
  prepare,
  type Prepared,
  publish,
  type Purpose,
  readCommits
} from "./SnapshotTree.live.ts"
import { type Restored, type Snapshot, SnapshotFailed } from "./Snapshots.ts"

// The note that an undo is under way: written before the first file is touched, removed at the end.
// It lies beside the log of the run, so that the next call on the run sees with one look whether an undo was cut off.

/** The number of the snapshot that is gone back to, and the commit of the one that was taken before. */
const Intent = Schema.Struct({ to: Schema.Int, saved: Schema.String })
type Intent = typeof Intent.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Intent))

const attempt = <A>(run: () => A): Effect.Effect<A, SnapshotFailed> =>
  Effect.try({ try: run, catch: (error) => new SnapshotFailed({ reason: systemFault(error) }) })

/** The note of a run, or null where no undo was cut off. The file is replaced as a whole, so it is whole. */
export const readIntent = (run: RunRef): Effect.Effect<Intent | null, SnapshotFailed> =>
  attempt(() => {
    try {
      return Option.getOrNull(decode(readFileSync(undoFile(run), "utf8")))
    } catch (error) {
      if (hasCode(error, "ENOENT")) return null
      throw error
    }
  })

/** Writes the note. Durable when it returns. */
export const writeIntent = (run: RunRef, intent: Intent) =>
  attempt(() => replaceFile(undoFile(run), `${jsonText(intent)}\n`))

/** Removes the note. */
export const removeIntent = (run: RunRef) => attempt(() => rmSync(undoFile(run), { force: true }))

// What has to be done in one repository so that its files are those of a snapshot again.
// Whatever the snapshot did not hold, or its rules ignored, is not in a plan. A plan is refused before it begins.

/** What is to be removed and written. Names are bytes. Where `rightsOnly`, the bytes are there already. */
export interface Plan {
  readonly removed: ReadonlyArray<string>
  readonly written: ReadonlyArray<Entry & { readonly rightsOnly: boolean }>
}

/** A file or directory that nobody may overwrite, because no snapshot holds it, and the path whose place it is in. */
interface Obstacle {
  readonly name: string
  readonly by: string
}

const isFile = (mode: string): boolean => mode !== "000000" && mode !== "160000"

interface Change {
  readonly before: Entry
  readonly after: Entry
}

/** The changes from one tree to another. */
export const changesBetween = Effect.fnUntraced(function*(root: string, from: string, to: string, scratch: Scratch) {
  const told = yield* gitBytes(
    root,
    ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to],
    scratch.env
  )
  const parts = told.split("\0")
  return parts.flatMap((head, i): ReadonlyArray<Change> => {
    const name = parts[i + 1] ?? ""
    const [, old = "", mode = "", oldId = "", id = ""] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(head) ?? []
    return i % 2 === 1 || mode === "" ? [] : [{ before: { mode: old, id: oldId, name }, after: { mode, id, name } }]
  })
})

/** The paths among some that the rules of a snapshot ignore: those in its files, and those of the repository itself. */
const ignoredBy = Effect.fnUntraced(
  function*(root: string, tree: string, names: ReadonlyArray<string>, scratch: Scratch) {
    if (names.length === 0) return new Set<string>()
    const rules = join(scratch.dir, "rules")
    const listed = (yield* gitBytes(root, ["ls-tree", "-r", "-z", "--full-tree", tree], scratch.env)).split("\0")
    yield* tryFiles(() => mkdirSync(rules))
    for (const line of listed) {
      const [, id = "", name = ""] = /^100\d+ blob ([0-9a-f]+)\t((?:[^]*\/)?\.gitignore)$/.exec(line) ?? []
      if (name === "") continue
      const text = Buffer.from(
        (yield* git(root, ["cat-file", "blob", id], {}, { encoding: "latin1" })).stdout,
        "latin1"
      )
      yield* tryFiles(() => {
        mkdirSync(placeOf(rules, dirname(name)), { recursive: true })
        writeFileSync(placeOf(rules, name), text)
      })
    }
    const own = yield* gitOutput(root, ["rev-parse", "--absolute-git-dir"])
    // Without an index: what is tracked by now says nothing about what was ignored then.
    const env = { GIT_DIR: own, GIT_WORK_TREE: rules, GIT_INDEX_FILE: join(scratch.dir, "none") }
    const asked = { input: names.map((name) => `${name}\0`).join(""), encoding: "latin1" } as const
    const done = yield* git(rules, ["check-ignore", "--no-index", "-z", "--stdin"], env, asked)
    if (done.code !== 0 && done.code !== 1) return yield* Effect.fail(whyNot("git", done))
    return new Set(done.stdout.split("\0"))
  }
)

/** Everything below a directory that is no directory itself. */
const below = (root: string, name: string): ReadonlyArray<string> =>
  readdirSync(placeOf(root, name), { withFileTypes: true, encoding: "buffer" }).flatMap((entry) => {
    const path = `${name}/${entry.name.toString("latin1")}`
    return entry.isDirectory() ? below(root, path) : [path]
  })

/** The directories on the way to a path, the outermost first. */
export const directoriesTo = (name: string): ReadonlyArray<string> => {
  const parts = name.split("/")
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"))
}

/** The path of something that no snapshot holds and that lies in the place of a file to be written; null for none. */
const obstacleOf = (root: string, name: string, held: boolean, removed: ReadonlySet<string>): string | null => {
  for (const directory of directoriesTo(name)) {
    const facts = factsAt(root, directory)
    if (facts === null) return null
    if (!facts.isDirectory()) return removed.has(directory) ? null : directory
  }
  const facts = factsAt(root, name)
  if (facts === null || (held && (facts.isFile() || facts.isSymbolicLink()))) return null
  return facts.isDirectory() ? below(root, name).find((one) => !removed.has(one)) ?? null : name
}

/**
 * What has to be done in the worktree at `root`, whose present files are those of the tree `present`. Fails with one
 * line where it cannot be told, or with what is in the way.
 */
export const planOf = Effect.fnUntraced(function*(root: string, present: string, to: Snapshot, scratch: Scratch) {
  const changes = yield* changesBetween(root, present, to.commit, scratch)
  const gone = changes.filter(({ after, before }) => isFile(before.mode) && !isFile(after.mode)).map(({ before }) =>
    before.name
  )
  const ignored = yield* ignoredBy(root, to.commit, gone, scratch)
  const removed = gone.filter((name) => !ignored.has(name) && !to.leftOut.some((one) => isWithin(name, one)))
  const going = new Set(removed)
  const wanted = changes.filter(({ after }) => isFile(after.mode))
  for (const { after: { name }, before } of wanted) {
    const by = obstacleOf(root, name, isFile(before.mode), going)
    if (by !== null) return yield* Effect.fail({ name, by } satisfies Obstacle)
  }
  const written = wanted.map(({ after, before }) => ({
    ...after,
    rightsOnly: before.id === after.id && before.mode.startsWith("100") && after.mode.startsWith("100")
  }))
  return { removed, written } satisfies Plan
})

/** The directories in which files of one tree lie that the other lacks. They go where they become empty. */
export const emptied = Effect.fnUntraced(function*(root: string, from: string, to: string, scratch: Scratch) {
  const changes = yield* changesBetween(root, from, to, scratch)
  const gone = changes.filter(({ after, before }) => isFile(before.mode) && !isFile(after.mode))
  const kept = new Set(
    changes.filter(({ after }) => isFile(after.mode)).flatMap(({ after }) => directoriesTo(after.name))
  )
  const left = new Set(gone.flatMap(({ before }) => directoriesTo(before.name)))
  return [...left].filter((name) => !kept.has(name)).sort().reverse()
})

// Carries out a plan: removes and writes the files of one repository, byte by byte.
// All bytes are fetched before the first file is touched. A file is replaced, never written through a link.

/** The bytes of objects in one file: where each begins, and how long it is. */
interface Fetched {
  readonly path: string
  readonly places: ReadonlyMap<string, { readonly at: number; readonly size: number }>
}

const headLength = 128

const placesIn = (path: string): Fetched["places"] => {
  const places = new Map<string, { at: number; size: number }>()
  const fd = fs.openSync(path, "r")
  try {
    const head = Buffer.alloc(headLength)
    const end = fs.fstatSync(fd).size
    for (let at = 0; at < end;) {
      const read = fs.readSync(fd, head, 0, headLength, at)
      const line = head.toString("latin1", 0, head.subarray(0, read).indexOf(10))
      const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? []
      if (id === undefined) throw new Error(`git does not give the object ${line}`)
      places.set(id, { at: at + line.length + 1, size: Number(size) })
      at += line.length + 1 + Number(size) + 1
    }
    return places
  } finally {
    fs.closeSync(fd)
  }
}

/** Fetches the bytes that a plan writes. Fails with one line why not, before anything is changed. */
export const fetch = Effect.fnUntraced(function*(root: string, { written }: Plan, { dir, env }: Scratch) {
  const path = join(dir, "bytes")
  const ids = [...new Set(written.filter(({ rightsOnly }) => !rightsOnly).map(({ id }) => id))]
  const fd = yield* tryFiles(() => fs.openSync(path, "w", 0o600))
  const input = ids.map((id) => `${id}\n`).join("")
  const done = yield* Effect.ensuring(
    git(root, ["cat-file", "--batch"], env, { input, into: fd }),
    Effect.sync(() => fs.closeSync(fd))
  )
  if (done.code !== 0) return yield* Effect.fail(whyNot("git", done))
  return { path, places: yield* tryFiles(() => placesIn(path)) } satisfies Fetched
})

const part = 1024 * 1024

/** The bytes of an open file from a place on, all of them. */
const bytesOf = (from: number, at: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let done = 0; done < size;) {
    const count = fs.readSync(from, bytes, done, size - done, at + done)
    if (count === 0) throw new Error("the fetched bytes are cut off")
    done += count
  }
  return bytes
}

/** Copies bytes from one open file into another. */
const copy = (from: number, to: number, at: number, size: number): void => {
  for (let done = 0; done < size; done += part) {
    fs.writeFileSync(to, bytesOf(from, at + done, Math.min(part, size - done)))
  }
}

/** The rights of a file with or without that to run it. Who may read it may then run it. */
const rights = (mode: number, isProgram: boolean): number =>
  (isProgram ? mode | ((mode & 0o444) >> 2) : mode & 0o666) & 0o777

const parentOf = (root: string, name: string): Buffer =>
  placeOf(root, name.slice(0, Math.max(0, name.lastIndexOf("/"))))

/** Runs a call, unless what it is to remove is gone already, or not empty. */
const ifThere = (call: () => void): void => {
  try {
    call()
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].some((code) => hasCode(error, code))) throw error
  }
}

const removeFile = (path: Buffer): void => ifThere(() => fs.unlinkSync(path))

/** Removes a directory in which only empty directories are left. Throws where anything else is in it. */
const removeEmpties = (root: string, name: string): void => {
  const path = placeOf(root, name)
  for (const inner of fs.readdirSync(path, "buffer")) removeEmpties(root, `${name}/${inner.toString("latin1")}`)
  fs.rmdirSync(path)
}

/** Makes the directories on the way to a path, each with the rights of the one that it lies in. */
const makeWay = (root: string, name: string): void => {
  for (const directory of directoriesTo(name)) {
    if (factsAt(root, directory) !== null) continue
    const path = placeOf(root, directory)
    fs.mkdirSync(path)
    fs.chmodSync(path, fs.statSync(parentOf(root, directory)).mode & 0o777)
  }
}

const removeAll = (root: string, removed: ReadonlyArray<string>, emptied: ReadonlyArray<string>): void => {
  for (const name of removed) removeFile(placeOf(root, name))
  for (const name of emptied) ifThere(() => fs.rmdirSync(placeOf(root, name)))
}

const write = (root: string, entry: Plan["written"][number], { places }: Fetched, from: number): void => {
  const path = placeOf(root, entry.name)
  const facts = factsAt(root, entry.name)
  const isProgram = entry.mode === "100755"
  if (entry.rightsOnly && facts !== null) return fs.chmodSync(path, rights(facts.mode, isProgram))
  makeWay(root, entry.name)
  if (facts?.isDirectory() === true) removeEmpties(root, entry.name)
  else removeFile(path)
  const { at, size } = places.get(entry.id) ?? { at: 0, size: 0 }
  if (entry.mode === "120000") return fs.symlinkSync(bytesOf(from, at, size), path)
  // A file that was gone gets the rights of its directory.
  const like = facts?.isFile() === true ? facts.mode : fs.statSync(parentOf(root, entry.name)).mode & 0o666
  const to = fs.openSync(path, "wx", 0o600)
  try {
    copy(from, to, at, size)
    fs.fchmodSync(to, rights(like, isProgram) | 0o600)
  } finally {
    fs.closeSync(to)
  }
}

/**
 * Carries out a plan in the worktree at `root`. `emptied` are the directories that go where they are empty then, the
 * innermost first. Fails with one line where the system refuses; what is done until then stays.
 */
export const carryOut = (root: string, plan: Plan, fetched: Fetched, emptied: ReadonlyArray<string>) =>
  tryFiles(() => {
    removeAll(root, plan.removed, emptied)
    const from = fs.openSync(fetched.path, "r")
    try {
      for (const entry of plan.written) write(root, entry, fetched, from)
    } finally {
      fs.closeSync(from)
    }
  })

// Puts a worktree back to a snapshot, with the repositories in it, and finishes what was cut off.
// The order: plan, fetch, snapshot of the present, note, files, note away. Nothing is lost wherever it is cut off.

const complained = (why: string): SnapshotFailed => new SnapshotFailed({ reason: { _tag: "GitComplained", why } })

const inTheWay = (problem: string | Obstacle): SnapshotFailed =>
  typeof problem === "string" ? complained(problem) : new SnapshotFailed({ reason: { _tag: "InTheWay", ...problem } })

/** The snapshots of each repository by its place, from that of the worktree; and the names of those that are gone. */
const perRepository = (
  root: string,
  snapshot: Snapshot
): Effect.Effect<{ readonly found: ReadonlyMap<string, Snapshot>; readonly gone: ReadonlyArray<string> }, string> =>
  Effect.gen(function*() {
    const found = new Map([[root, snapshot]])
    const gone: Array<string> = []
    for (const { commit, name } of snapshot.repositories) {
      const place = join(root, nameOf(name))
      const read = isRepository(root, name) ? yield* Effect.option(inOwn(readCommits(place, [commit]))) : null
      const [inner] = read?._tag === "Some" ? read.value : []
      if (inner === undefined) {
        gone.push(name)
        continue
      }
      const below = yield* inOwn(perRepository(place, inner))
      for (const [at, one] of below.found) found.set(at, one)
      gone.push(...below.gone.map((one) => `${name}/${one}`))
    }
    return { found, gone }
  })

const flat = (prepared: Prepared, name = ""): ReadonlyArray<{ readonly at: Prepared; readonly name: string }> => [
  { at: prepared, name },
  ...prepared.inner.flatMap((one) => flat(one, name === "" ? one.name : `${name}/${one.name}`))
]

/** The names of the files in a commit. */
const namesIn = (root: string, commit: string) =>
  Effect.map(
    gitBytes(root, ["ls-tree", "-r", "-z", "--full-tree", commit]),
    (text) =>
      text.split("\0").flatMap((line) => /^1[02]0\d+ blob/.test(line) ? [line.slice(line.indexOf("\t") + 1)] : [])
  )

const own = <A, E, R>(worktree: string, root: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  root === worktree ? effect : inOwn(effect)

/** What is done in one repository. */
interface Work {
  readonly root: string
  readonly plan: Plan
  readonly emptied: ReadonlyArray<string>
  readonly fetched: Effect.Success<ReturnType<typeof fetch>>
}

const workIn = Effect.fnUntraced(function*({ filed, root, scratch }: Prepared, to: Snapshot, before: Snapshot | null) {
  const plan = yield* Effect.mapError(planOf(root, filed.tree, to, scratch), inTheWay)
  const rest = Effect.gen(function*() {
    const now = yield* emptied(root, filed.tree, to.commit, scratch)
    const then = before === null ? [] : yield* emptied(root, before.commit, to.commit, scratch)
    const both = [...new Set([...now, ...then])].sort().reverse()
    return { root, plan, emptied: both, fetched: yield* fetch(root, plan, scratch) } satisfies Work
  })
  return yield* Effect.mapError(rest, complained)
})

/**
 * Puts the worktree back to `to`. `purpose` is that of the snapshot of the present; `cut` is the note of an undo that
 * was cut off, which this call finishes, with the snapshot that it had taken.
 */
export const putBack = (
  run: RunRef,
  worktree: string,
  to: Snapshot,
  purpose: Purpose,
  cut: { readonly intent: Intent; readonly saved: Snapshot | null } | null
): Effect.Effect<Restored, SnapshotFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const targets = yield* Effect.mapError(perRepository(worktree, to), complained)
    const saved = cut?.saved ?? null
    const before = saved === null ? null : yield* Effect.mapError(perRepository(worktree, saved), complained)
    const also = (root: string) => {
      const target = targets.found.get(root)
      return target === undefined ? Effect.succeed([]) : namesIn(root, target.commit)
    }
    const present = yield* Effect.mapError(prepare(worktree, purpose, also), complained)
    const works: Array<Work> = []
    const left = [...targets.gone]
    for (const { at, name } of flat(present)) {
      const target = targets.found.get(at.root)
      if (target === undefined) {
        if (!left.includes(name)) left.push(name)
      } else works.push(yield* own(worktree, at.root, workIn(at, target, before?.found.get(at.root) ?? null)))
    }
    const count = (of: (plan: Plan) => number) => works.reduce((sum, { plan }) => sum + of(plan), 0)
    const [written, removed] = [count((plan) => plan.written.length), count((plan) => plan.removed.length)]
    const changes = written + removed > 0
    if (changes) {
      yield* Effect.mapError(publish(present), complained)
      yield* writeIntent(run, { to: to.number, saved: cut?.intent.saved ?? present.snapshot.commit })
    }
    if (changes || cut !== null) {
      for (const work of works) {
        yield* Effect.mapError(
          carryOut(work.root, work.plan, work.fetched, work.emptied),
          (why) => new SnapshotFailed({ reason: { _tag: "Interrupted", to: to.number, why } })
        )
      }
      yield* removeIntent(run)
    }
    return { to, saved: changes ? present.snapshot : null, written, removed, left }
  })
