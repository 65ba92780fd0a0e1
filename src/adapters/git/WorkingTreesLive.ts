// WorkingTreesLive: a clone of its own for each submission, which shares the objects of the mirror on this machine.
// No worktree of the mirror: those share their refs, and two pull requests pin one branch to different commits.
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer, Schedule } from "effect"
import type { Submission } from "../../core/fleet/Submission.ts"
import { type TreeFailed, type TreeReason, WorkingTrees } from "../../services/WorkingTrees.ts"
import { withFileLock } from "../log/Lock.ts"
import { makeDirectories } from "../process/Directories.ts"
import { type Executed, programFault } from "../process/Exec.ts"
import { placesOf } from "./FleetPlaces.ts"
import { filesAt, mostHeld } from "./Fetch.ts"
import { fetchInto, madeWhole, unfinished } from "./Mirror.ts"
import { type Access, askStranger, failedAt, mustStranger } from "./Stranger.ts"
import { checkSize } from "./TreeSize.ts"

/** How this machine makes trees: `work` as the machine was told, `recorded` as the fleet was set up. */
export interface Works {
  readonly work: string
  readonly recorded: string
  readonly access: Access | null
  /** The most bytes that the mirror of a repository may hold; as many as `Fetch.ts` says, unless told. */
  readonly most?: number
}

// Milliseconds. Somebody may fetch for minutes: whoever waits longer comes again, and holds up nobody meanwhile.
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

/** Fails where a tree does not show what was pinned, and in another way where nobody can tell. */
const checkTree = Effect.fnUntraced(function*(tree: string, { base, branch, head }: Submission) {
  const changed = (what: string) => failedAt(tree)({ _tag: "TreeChanged", what })
  const unknown = (what: string, done: Executed) =>
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
export const layer = ({ access, most = mostHeld, recorded, work }: Works) => {
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
        // Asked last, so that all before was told of this very tree.
        if ((yield* whichOf(tree)) !== which) return yield* failedAt(tree)({ _tag: "TreeReplaced" })
      }),
      remove: Effect.fn("WorkingTrees.remove")((submission: Submission) => {
        const { mirror, tree } = places(submission)
        return alone(mirror, removed(tree))
      })
    })
  )
}
