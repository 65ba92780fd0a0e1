// WorkingTrees.live: a clone for each submission, which shares the objects of the mirror on this machine.
// No worktree of the mirror: those share their refs, and two pull requests pin one branch to different commits.
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer, Schedule } from "effect"
import { withFileLock } from "../log/FileLock.live.ts"
import { type ExecResult, programFault } from "../platform/Exec.ts"
import { makeDirectories } from "../platform/Files.ts"
import {
  type Access,
  askStranger,
  failedAt,
  fetchInto,
  filesAt,
  madeWhole,
  mostHeld,
  mustStranger,
  placesOf,
  unfinished
} from "./Mirror.live.ts"
import type { Submission } from "./Submission.ts"
import { type TreeFailed, type TreeReason, WorkingTrees } from "./WorkingTrees.ts"

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

/** How this machine makes trees: `work` as this machine is configured, `recorded` as the fleet was set up. */
export interface WorkPaths {
  readonly work: string
  readonly recorded: string
  readonly access: Access | null
  /** The most bytes that the mirror of a repository may hold; as many as `Fetch.ts` says, unless told. */
  readonly most?: number
}

// Milliseconds. Somebody may fetch for minutes: whoever waits longer tries again later, and blocks no other work.
const patience = 10_000
// Milliseconds until a tree is looked at again of which nothing could be told.
const lookAgain = 2000

// The name of the file, beside git's own, that tells a tree from one that is made anew in its place.
const mark = "ooda-which"

// Links of strangers lead nowhere: git writes them as files that hold their text.
const settings = (repo: string): string =>
  "[core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n\tsymlinks = false\n" +
  "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n" +
  `[remote "origin"]\n\turl = ${repo}\n`

const laidOut = (mirror: string, { base, branch, head, repo }: Submission) =>
  Effect.fnUntraced(function*(at: string) {
    const ask = (what: string, ...args: ReadonlyArray<string>) => mustStranger(at, what, args)
    yield* ask("making a clone", "init", "--quiet", "--template=", ".")
    yield* filesAt(at, () => {
      fs.mkdirSync(join(at, ".git/objects/info"), { recursive: true })
      fs.writeFileSync(join(at, ".git/objects/info/alternates"), `${mirror}/objects\n`)
      fs.appendFileSync(join(at, ".git/config"), settings(repo))
      fs.writeFileSync(join(at, ".git", mark), randomUUID())
    })
    yield* ask("pinning the base", "update-ref", `refs/heads/${branch}`, base)
    yield* ask("pinning the head", "update-ref", "--no-deref", "HEAD", head)
    yield* ask("laying out the files", "read-tree", "--reset", "-u", head)
  })

/** Which tree this is, by what was written when it was made. */
const whichOf = Effect.fnUntraced(function*(tree: string) {
  const which = yield* filesAt(tree, () => {
    const path = join(tree, ".git", mark)
    return fs.existsSync(path) ? fs.readFileSync(path, "utf8") : null
  })
  return which ?? (yield* failedAt(tree)({ _tag: "TreeChanged", what: "its repository" }))
})

/** Fails where a tree does not show what was pinned, and with another reason where that is unknown. */
const checkTree = Effect.fnUntraced(function*(tree: string, { base, branch, head }: Submission) {
  const changed = (what: string) => failedAt(tree)({ _tag: "TreeChanged", what })
  const unknown = (what: string, done: ExecResult) =>
    failedAt(tree)({ _tag: "TreeUnknown", what, fault: programFault("git", done) })
  const commit = Effect.fnUntraced(function*(revision: string) {
    const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]
    const done = yield* askStranger(tree, asked)
    // So it ends where there is no such commit, and else in other ways.
    if (done.code === 0 || done.code === 1) return done.stdout.trim()
    return yield* unknown("looking for the commits", done)
  })
  if ((yield* commit("HEAD")) !== head) return yield* changed("HEAD")
  // As reviewers name it: nothing else in the clone may be called like the branch.
  if ((yield* commit(branch)) !== base) return yield* changed("the base branch")
  const status = yield* askStranger(tree, ["status", "--porcelain", "--ignored", "--untracked-files=all"])
  if (status.code !== 0) return yield* unknown("looking for changes", status)
  if (status.stdout !== "") return yield* changed("a file")
})

/** Whether a tree differs from what was pinned, or git itself says each time that it cannot be read. */
const isBroken = (reason: TreeReason): boolean =>
  reason._tag === "TreeChanged" ||
  (reason._tag === "TreeUnknown" && reason.fault._tag === "ProgramFailed" && reason.fault.status !== null)

/** The live layer. Needs the git program. */
export const layer = ({ access, most = mostHeld, recorded, work }: WorkPaths) => {
  const places = (submission: Submission) => {
    const { mirror, tree } = placesOf(submission)
    return { mirror: join(work, mirror), tree: join(work, tree) }
  }

  /** Fails unless this machine works below the recorded path, with no link on the way: logs and findings hold it. */
  const inPlace = Effect.fnUntraced(function*(mirror: string) {
    const real = work === recorded && (yield* filesAt(work, () => {
      makeDirectories(dirname(mirror))
      return fs.realpathSync(work)
    }))
    if (real !== recorded) return yield* failedAt(work)({ _tag: "WorkElsewhere", recorded })
  })

  /** Runs an effect while nobody else on this machine changes a mirror or its trees. */
  const alone = <A>(mirror: string, use: Effect.Effect<A, TreeFailed>) =>
    Effect.andThen(
      inPlace(mirror),
      Effect.catchTag(
        withFileLock(`${mirror}.turn`, use, patience),
        "LockFailed",
        ({ path, reason }) => failedAt(path)(reason)
      )
    )

  const seen = (tree: string, submission: Submission) => Effect.andThen(whichOf(tree), checkTree(tree, submission))

  // As a whole: a tree without its repository would be taken for one of which nothing can be told.
  const removed = (tree: string) =>
    filesAt(tree, () => {
      const at = unfinished(tree)
      fs.rmSync(at, { recursive: true, force: true })
      if (fs.existsSync(tree)) fs.renameSync(tree, at)
      fs.rmSync(at, { recursive: true, force: true })
    })

  return Layer.succeed(
    WorkingTrees,
    WorkingTrees.of({
      open: Effect.fn("WorkingTrees.open")(function*(submission: Submission) {
        const { mirror, tree } = places(submission)
        yield* inPlace(mirror)
        // Without the lock: another head of the repository may be fetched for minutes.
        if (fs.existsSync(tree) && (yield* Effect.result(seen(tree, submission)))._tag === "Success") return tree
        const opened = Effect.gen(function*() {
          if (fs.existsSync(tree)) {
            const again = Effect.retry(seen(tree, submission), {
              while: ({ reason }) => reason._tag === "TreeUnknown",
              schedule: Schedule.spaced(lookAgain),
              times: 2
            })
            const checked = yield* Effect.result(again)
            if (checked._tag === "Success") return tree
            // Others may be reading it, and what they read is lost to them: only where it is of no use to them either.
            if (!isBroken(checked.failure.reason)) return yield* checked.failure
            yield* removed(tree)
          }
          yield* fetchInto(mirror, submission, { access, most })
          yield* checkSize(mirror, submission.head)
          yield* madeWhole(tree, laidOut(mirror, submission))
          yield* checkTree(tree, submission)
          return tree
        })
        return yield* alone(mirror, opened)
      }),
      which: Effect.fn("WorkingTrees.which")((submission: Submission) => whichOf(places(submission).tree)),
      check: Effect.fn("WorkingTrees.check")(function*(submission: Submission, which: string) {
        const { tree } = places(submission)
        yield* checkTree(tree, submission)
        // Asked last, so that everything before is about this very tree.
        if ((yield* whichOf(tree)) !== which) return yield* failedAt(tree)({ _tag: "TreeReplaced" })
      }),
      remove: Effect.fn("WorkingTrees.remove")((submission: Submission) => {
        const { mirror, tree } = places(submission)
        return alone(mirror, removed(tree))
      })
    })
  )
}
