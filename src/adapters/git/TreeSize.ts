// TreeSize: how many files a commit lays out and how large they are, told before anything is written.
// A few objects that name each other can be more files than any disk holds, so each object is looked at once.
import { Effect } from "effect"
import { programFault } from "../process/Exec.ts"
import { askStranger, failedAt } from "./Stranger.ts"

/** The most that a working tree may hold, and how deep. */
const limits = { files: 500_000, bytes: 8 * 1024 ** 3, depth: 100, treeBytes: 64 * 1024 ** 2 } as const

interface Size {
  readonly files: number
  readonly bytes: number
}

interface Listed {
  readonly trees: ReadonlyArray<string>
  readonly blobs: ReadonlyArray<string>
}

const idBytes = 20

/** The entries of a tree as git stores it: a mode, a name and the bytes of an id, each time. */
const entriesIn = (raw: string): Listed => {
  const [trees, blobs]: [Array<string>, Array<string>] = [[], []]
  for (let at = 0; at < raw.length;) {
    const name = raw.indexOf("\0", at)
    if (name < 0) break
    const id = Buffer.from(raw.slice(name + 1, name + 1 + idBytes), "latin1").toString("hex")
    // Git reads a mode as a number, so that it may begin with zeros.
    const kind = parseInt(raw.slice(at, at + 12), 8) & 0o170000
    if (kind === 0o040000) trees.push(id)
    // A submodule is an empty directory here.
    else if (kind !== 0o160000) blobs.push(id)
    at = name + 1 + idBytes
  }
  return { trees, blobs }
}

const asked = Effect.fnUntraced(function*(repo: string, how: string, ids: Iterable<string>) {
  const input = [...ids].map((id) => `${id}\n`).join("")
  const done = yield* askStranger(repo, ["cat-file", how], null, input)
  if (done.code === 0) return done.stdout
  return yield* failedAt(repo)({ _tag: "GitRefused", what: "measuring", fault: programFault("git", done) })
})

const sizesOf = (repo: string, ids: Iterable<string>) =>
  Effect.map(
    asked(repo, "--batch-check=%(objectname) %(objectsize)", ids),
    (text) =>
      new Map(
        text.split("\n").flatMap((line) => {
          const [id = "", size] = line.split(" ")
          return /^\d+$/.test(size ?? "") ? [[id, Number(size)] as const] : []
        })
      )
  )

/** The trees with these ids, by their ids. */
const treesOf = Effect.fnUntraced(function*(repo: string, ids: ReadonlyArray<string>) {
  const raw = yield* asked(repo, "--batch", ids)
  const found = new Map<string, Listed>()
  for (let at = 0; at < raw.length;) {
    const end = raw.indexOf("\n", at)
    const [, id = "", size] = /^([0-9a-f]+) tree (\d+)$/.exec(raw.slice(at, end)) ?? []
    if (size === undefined) break
    found.set(id, entriesIn(raw.slice(end + 1, end + 1 + Number(size))))
    at = end + 1 + Number(size) + 1
  }
  return found
})

/** Fails where a commit in a repository lays out more than the limits allow. */
export const checkSize = Effect.fn("WorkingTrees.checkSize")(function*(repo: string, commit: string) {
  const tooLarge = failedAt(repo)({ _tag: "TreeTooLarge" })
  const found = new Map<string, Listed>()
  const rootId = (yield* asked(repo, "--batch-check=%(objectname)", [`${commit}^{tree}`])).trim()
  let left = [rootId]
  let read = 0
  for (let depth = 0; left.length > 0; depth++) {
    const sizes = yield* sizesOf(repo, left)
    for (const size of sizes.values()) read += size
    if (depth > limits.depth || read > limits.treeBytes || found.size + left.length > limits.files) {
      return yield* tooLarge
    }
    const next = yield* treesOf(repo, left)
    for (const [id, one] of next) found.set(id, one)
    left = [...new Set([...next.values()].flatMap(({ trees }) => trees))].filter((id) => !found.has(id))
  }
  const blobs = yield* sizesOf(repo, new Set([...found.values()].flatMap((one) => one.blobs)))
  const known = new Map<string, Size>()
  // No tree is within itself, and how deep they lie is known by now.
  const sizeOf = (id: string): Size => {
    const before = known.get(id)
    if (before !== undefined) return before
    const { blobs: own, trees } = found.get(id) ?? { blobs: [], trees: [] }
    const parts = [...own.map((blob) => ({ files: 1, bytes: blobs.get(blob) ?? 0 })), ...trees.map(sizeOf)]
    const size = parts.reduce((a, b) => ({ files: a.files + b.files, bytes: a.bytes + b.bytes }), {
      files: 0,
      bytes: 0
    })
    known.set(id, size)
    return size
  }
  const { bytes, files } = sizeOf(rootId)
  if (files > limits.files || bytes > limits.bytes) return yield* tooLarge
  return { files, bytes } satisfies Size
})
