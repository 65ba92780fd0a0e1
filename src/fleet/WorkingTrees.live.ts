// WorkingTrees.live: a frozen copy for each submission, made of the objects in the mirror on this machine.
// The base instructs its reviewers: the change cannot tell them what to find.
import { randomUUID } from "node:crypto"
import { existsSync, realpathSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer, Schedule } from "effect"
import type { CodeFailed } from "../code/CodeFailed.ts"
import { copyChanges, makeCopy } from "../code/Copy.live.ts"
import { recordedAt, writeRecord } from "../code/Isolate.live.ts"
import { shownName } from "../code/Names.ts"
import { plainText } from "../code/Repository.live.ts"
import { openStore, type Store, treeOf } from "../code/Store.live.ts"
import { withFileLock } from "../log/FileLock.live.ts"
import { programFault } from "../platform/Exec.ts"
import { makeDirectories, removeTree } from "../platform/Files.ts"
import { type Access, askStranger, failedAt, fetchInto, filesAt, mostHeld, placesOf } from "./Mirror.live.ts"
import { amongStrangers, codeOf, storeOf } from "./SubmittedCode.live.ts"
import type { Submission } from "./Submission.ts"
import { type TreeFailed, type TreeReason, WorkingTrees } from "./WorkingTrees.ts"

/** The limits of a working tree. */
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

/** The entries of a tree as git stores it: mode, name and id in bytes. */
const entriesIn = (raw: string): Listed => {
  const [trees, blobs]: [Array<string>, Array<string>] = [[], []]
  for (let at = 0; at < raw.length;) {
    const name = raw.indexOf("\0", at)
    if (name < 0) break
    const id = Buffer.from(raw.slice(name + 1, name + 1 + idBytes), "latin1").toString("hex")
    // Git reads a mode as a number, so it may begin with zeros.
    const kind = parseInt(raw.slice(at, at + 12), 8) & 0o170000
    if (kind === 0o040000) trees.push(id)
    // A submodule becomes an empty directory.
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

/** Fails if a commit lays out more than the limits allow. */
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
  // A tree cannot contain itself, so every depth is known by now.
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

/** How this machine makes trees: `work` is its own setting, `recorded` the fleet's. */
export interface WorkPaths {
  readonly work: string
  readonly recorded: string
  readonly access: Access | null
  /** The most bytes that the mirror of a repository may hold; as many as `Fetch.ts` says by default. */
  readonly most?: number
}

// Milliseconds. A fetch may take minutes: whoever waits longer tries again later, and does other work meanwhile.
const patience = 30_000
// Milliseconds until a tree in unknown state is looked at again.
const lookAgain = 2000

/** Where a submission is, and how it is made. */
interface Places {
  readonly mirror: string
  readonly tree: string
  readonly store: Store
}

const fromCode = (tree: string) => ({ message, reason }: CodeFailed): TreeFailed => {
  if (reason._tag === "System") return failedAt(reason.place)(reason.fault)
  const fault = reason._tag === "Git"
    ? reason.fault
    : { _tag: "ProgramFailed", program: "git", status: null, said: message } as const
  return failedAt(tree)({ _tag: "GitRefused", what: "laying out the files", fault })
}

// Distinguishes a tree from one that was made anew at the same path.
const markOf = ({ dir }: Store): string => join(dir, "which")

/** Lays out a missing tree. It exists only once it is recorded, which comes last. */
const laidOut = Effect.fnUntraced(function*({ store, tree }: Places, submission: Submission) {
  const { base, branch } = submission
  yield* filesAt(tree, () => makeDirectories(store.dir))
  const made = Effect.gen(function*() {
    yield* openStore(store.dir, store.repository)
    const code = yield* codeOf(store, submission)
    const trusted = yield* treeOf(store, base)
    return yield* makeCopy(store, code, tree, { base: { name: branch, commit: base }, trusted, link: [] })
  })
  const copy = yield* Effect.mapError(made, fromCode(tree))
  yield* filesAt(tree, () => {
    writeFileSync(markOf(store), randomUUID())
    writeRecord(store, copy)
  })
}, amongStrangers)

/** The record of a tree, and its identity. */
const recordOf = Effect.fnUntraced(function*({ store, tree }: Places) {
  const [copy, which] = yield* filesAt(tree, () => [recordedAt(store, tree), plainText(markOf(store))] as const)
  if (copy === null || which === "") return yield* failedAt(tree)({ _tag: "TreeChanged", what: "its repository" })
  return { copy, which }
})

/** Fails if a tree does not show the pinned code, with another reason if that is unknown. */
const checkTree = Effect.fnUntraced(function*(places: Places) {
  const { store, tree } = places
  const { copy } = yield* recordOf(places)
  const [changed] = yield* Effect.mapError(copyChanges(store, copy), (failure) => {
    const failed = fromCode(tree)(failure)
    const { reason } = failed
    return reason._tag === "GitRefused"
      ? failedAt(tree)({ _tag: "TreeUnknown", what: "looking for changes", fault: reason.fault })
      : failed
  })
  if (changed !== undefined) return yield* failedAt(tree)({ _tag: "TreeChanged", what: shownName(changed) })
}, amongStrangers)

/** Whether a tree differs from what was pinned, or git repeatedly reports that it cannot be read. */
const isBroken = (reason: TreeReason): boolean =>
  reason._tag === "TreeChanged" ||
  (reason._tag === "TreeUnknown" && reason.fault._tag === "ProgramFailed" && reason.fault.status !== null)

/** The live layer. Needs the git program. */
export const layer = ({ access, most = mostHeld, recorded, work }: WorkPaths) => {
  const placesFor = (submission: Submission): Places => {
    const { mirror, tree } = placesOf(submission)
    return { mirror: join(work, mirror), tree: join(work, tree), store: storeOf(work, submission) }
  }

  /** Fails unless this machine works below the recorded path, without links in it: logs and findings contain it. */
  const inPlace = Effect.fnUntraced(function*({ mirror }: Places) {
    const real = work === recorded && (yield* filesAt(work, () => {
      makeDirectories(dirname(mirror))
      return realpathSync(work)
    }))
    if (real !== recorded) return yield* failedAt(work)({ _tag: "WorkElsewhere", recorded })
  })

  /** Runs an effect while no other process on this machine changes a mirror or its trees. */
  const alone = <A>(places: Places, use: Effect.Effect<A, TreeFailed>) =>
    Effect.andThen(
      inPlace(places),
      Effect.catchTag(
        withFileLock(`${places.mirror}.turn`, use, patience),
        "LockFailed",
        ({ path, reason }) => failedAt(path)(reason)
      )
    )

  const removed = ({ store, tree }: Places) =>
    filesAt(tree, () => {
      // The record is removed before the tree.
      removeTree(store.dir)
      removeTree(tree)
    })

  return Layer.succeed(
    WorkingTrees,
    WorkingTrees.of({
      open: Effect.fn("WorkingTrees.open")(function*(submission: Submission) {
        const places = placesFor(submission)
        const { mirror, tree } = places
        yield* inPlace(places)
        const seen = checkTree(places)
        // Without the lock: another head of the repository may be fetched for minutes.
        if (existsSync(tree) && (yield* Effect.result(seen))._tag === "Success") return tree
        const opened = Effect.gen(function*() {
          if (existsSync(tree)) {
            const again = Effect.retry(seen, {
              while: ({ reason }) => reason._tag === "TreeUnknown",
              schedule: Schedule.spaced(lookAgain),
              times: 2
            })
            const checked = yield* Effect.result(again)
            if (checked._tag === "Success") return tree
            // Other reviewers may be reading it: it is replaced only if it is useless to them too.
            if (!isBroken(checked.failure.reason)) return yield* checked.failure
          }
          yield* removed(places)
          yield* fetchInto(mirror, submission, { access, most })
          yield* checkSize(mirror, submission.head)
          yield* laidOut(places, submission)
          return tree
        })
        return yield* alone(places, opened)
      }),
      which: Effect.fn("WorkingTrees.which")((submission: Submission) =>
        Effect.map(recordOf(placesFor(submission)), (record) => record.which)
      ),
      check: Effect.fn("WorkingTrees.check")(function*(submission: Submission, which: string) {
        const places = placesFor(submission)
        yield* checkTree(places)
        // Read last, so that everything before is about this very tree.
        if ((yield* recordOf(places)).which !== which) return yield* failedAt(places.tree)({ _tag: "TreeReplaced" })
      }),
      remove: Effect.fn("WorkingTrees.remove")((submission: Submission) => {
        const places = placesFor(submission)
        return alone(places, removed(places))
      })
    })
  )
}
