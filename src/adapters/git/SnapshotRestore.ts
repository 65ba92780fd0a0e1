// SnapshotRestore: carries out a plan: removes and writes the files of one repository, byte by byte.
// All bytes are fetched before the first file is touched. A file is replaced, never written through a link.
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { whyNot } from "../process/Exec.ts"
import { hasCode } from "../process/SystemError.ts"
import { git } from "./Command.ts"
import { placeOf } from "./Index.ts"
import { trying } from "./Must.ts"
import type { Scratch } from "./Scratch.ts"
import { factsAt } from "./SnapshotFiles.ts"
import { directoriesTo, type Plan } from "./SnapshotPlan.ts"

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
  const fd = yield* trying(() => fs.openSync(path, "w", 0o600))
  const input = ids.map((id) => `${id}\n`).join("")
  const done = yield* Effect.ensuring(
    git(root, ["cat-file", "--batch"], env, { input, into: fd }),
    Effect.sync(() => fs.closeSync(fd))
  )
  if (done.code !== 0) return yield* Effect.fail(whyNot("git", done))
  return { path, places: yield* trying(() => placesIn(path)) } satisfies Fetched
})

const part = 1024 * 1024

/** Copies bytes from one open file into another. */
const copy = (from: number, to: number, at: number, size: number): void => {
  const bytes = Buffer.allocUnsafe(Math.min(part, size))
  for (let done = 0; done < size;) {
    const count = fs.readSync(from, bytes, 0, Math.min(part, size - done), at + done)
    for (let out = 0; out < count;) out += fs.writeSync(to, bytes, out, count - out)
    done += count
  }
}

const bytesOf = (from: number, at: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  fs.readSync(from, bytes, 0, size, at)
  return bytes
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
  trying(() => {
    removeAll(root, plan.removed, emptied)
    const from = fs.openSync(fetched.path, "r")
    try {
      for (const entry of plan.written) write(root, entry, fetched, from)
    } finally {
      fs.closeSync(from)
    }
  })
