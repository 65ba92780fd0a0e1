// WorkingTreesLive: a clone of its own for each submission, which shares the objects of the mirror on this machine.
// No worktree of the mirror: those share their refs, and two pull requests pin one branch to different commits.
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import type { Submission } from "../../core/fleet/Submission.ts"
import { type TreeFailed, WorkingTrees } from "../../services/WorkingTrees.ts"
import { withFileLock } from "../log/Lock.ts"
import { makeDirectories } from "../process/Directories.ts"
import { placesOf } from "./FleetPlaces.ts"
import { filesAt, mostHeld } from "./Fetch.ts"
import { fetchInto, madeWhole } from "./Mirror.ts"
import { type Access, failedAt, fetchPatience, mustStranger } from "./Stranger.ts"
import { checkSize } from "./TreeSize.ts"

/** How this machine makes trees: `work` as the machine was told, `recorded` as the fleet was set up. */
export interface Works {
  readonly work: string
  readonly recorded: string
  readonly access: Access | null
  /** The most bytes that the mirror of a repository may hold; as many as `Fetch.ts` says, unless told. */
  readonly most?: number
}

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
    })
    yield* ask("pinning the base", "update-ref", `refs/heads/${branch}`, base)
    yield* ask("pinning the head", "update-ref", "--no-deref", "HEAD", head)
    yield* ask("laying out the files", "read-tree", "--reset", "-u", head)
  })

/** Fails where a tree does not show what was pinned. */
const checkTree = Effect.fnUntraced(function*(tree: string, { base, branch, head }: Submission) {
  const changed = (what: string) => failedAt(tree)({ _tag: "TreeChanged", what })
  const ask = (what: string, ...args: ReadonlyArray<string>) => mustStranger(tree, what, args)
  // As reviewers name it: nothing else in the clone may be called like the branch.
  const [at, from] = (yield* ask("looking for the commits", "rev-parse", "HEAD", `${branch}^{commit}`)).split("\n")
  if (at !== head) return yield* changed("HEAD")
  if (from !== base) return yield* changed("the base branch")
  const status = yield* ask("looking for changes", "status", "--porcelain", "--ignored", "--untracked-files=all")
  if (status !== "") return yield* changed("a file")
})

/** The live layer. Needs the git program. */
export const layer = ({ access, most = mostHeld, recorded, work }: Works) => {
  const places = (submission: Submission) => {
    const { mirror, tree } = placesOf(submission)
    return { mirror: join(work, mirror), tree: join(work, tree) }
  }

  /** Runs an effect while nobody else on this machine changes a mirror or its trees. */
  const alone = Effect.fnUntraced(function*<A>(mirror: string, use: Effect.Effect<A, TreeFailed>) {
    // Logs and findings hold the path, so it is the same on every machine, with no link on the way.
    const real = work === recorded && (yield* filesAt(work, () => {
      makeDirectories(dirname(mirror))
      return fs.realpathSync(work)
    }))
    if (real !== recorded) return yield* failedAt(work)({ _tag: "WorkElsewhere", recorded })
    return yield* Effect.catchTag(
      withFileLock(`${mirror}.turn`, use, fetchPatience),
      "LockFailed",
      ({ path, reason }) => failedAt(path)(reason)
    )
  })

  const removed = (tree: string) => filesAt(tree, () => fs.rmSync(tree, { recursive: true, force: true }))

  return Layer.succeed(
    WorkingTrees,
    WorkingTrees.of({
      open: Effect.fn("WorkingTrees.open")(function*(submission: Submission) {
        const { mirror, tree } = places(submission)
        const opened = Effect.gen(function*() {
          if (fs.existsSync(tree)) {
            const checked = yield* Effect.result(checkTree(tree, submission))
            if (checked._tag === "Success") return tree
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
      check: Effect.fn("WorkingTrees.check")((submission: Submission) =>
        checkTree(places(submission).tree, submission)
      ),
      remove: Effect.fn("WorkingTrees.remove")((submission: Submission) => {
        const { mirror, tree } = places(submission)
        return alone(mirror, removed(tree))
      })
    })
  )
}
