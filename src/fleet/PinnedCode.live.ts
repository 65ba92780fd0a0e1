// PinnedCode.live: the services that ask about code, answered from what a fleet pinned of a target's submissions.
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { layer as liveGit, remoteUrl } from "../code/Git.live.ts"
import { refused as notPinned } from "../code/CodeFailed.ts"
import { Git, GitFailed, type Repository } from "../code/Git.ts"
import { GitHub, GitHubFailed } from "../code/GitHub.ts"
import { SnapshotFailed, Snapshots } from "../code/Snapshots.ts"
import { Dismissals, DismissalsFailed } from "../review/findings/Dismissals.ts"
import type { Identity } from "../run/Identity.ts"
import type { BranchName, Target } from "../run/Target.ts"
import { placesOf } from "./Mirror.live.ts"
import { PinnedCode } from "./PinnedCode.ts"
import { repoIdsOf } from "./RunScope.ts"
import { pinOf, storeOf } from "./SubmittedCode.live.ts"
import { type Pin, repoIdOf } from "./Submission.ts"

/** The clone around a directory: its root, and the ids under which its repository may have been submitted. */
export const cloneAt = Effect.fn("PinnedCode.cloneAt")(function*(cwd: string) {
  const { id, root } = yield* (yield* Git).repository(cwd)
  const url = yield* remoteUrl(cwd)
  const ids = url === null ? [] : repoIdsOf(url)
  return { root, ids: ids.length === 0 ? [id] : ids }
}, Effect.provide(liveGit))

// A Git that answers from the pins and runs no git. Whoever reviews checks its own copy.

const refused = (what: string, said: string): GitFailed =>
  new GitFailed({ what, reason: { _tag: "ProgramFailed", program: "git", status: null, said } })

/**
 * The layer for the runs of one pull request, with its pins newest first. Their worktree shows the newest. A batch
 * reviews the copy of the head that was the newest when it began, which never changes.
 */
export const pinnedGitLayer = (pins: ReadonlyArray<Pin>): Layer.Layer<Git> => {
  const [newest] = pins
  const shownAt = (root: string): Pin | undefined =>
    root === newest?.worktree ? newest : pins.find(({ tree }) => tree === root)
  const shown = (root: string, target: Target, against: BranchName | null): Pin | null => {
    const pinned = shownAt(root)
    const { branch, pr } = pinned?.submission ?? {}
    return pinned !== undefined && target._tag === "PullRequest" && target.number === pr && against === branch
      ? pinned
      : null
  }
  const other = newest === undefined
    ? "nothing is pinned here"
    : `only pull request ${newest.submission.pr} against ${newest.submission.branch} is pinned here`

  return Layer.succeed(
    Git,
    Git.of({
      repository: Effect.fn("Git.repository")(function*(cwd) {
        if (newest === undefined || shownAt(cwd) === undefined) return yield* refused("finding the repository", other)
        return { root: newest.worktree, id: repoIdOf(newest.submission.repo) }
      }),
      commit: Effect.fn("Git.commit")((root, revision) => {
        const { base, branch, head } = shownAt(root)?.submission ?? {}
        const isBase = revision === branch || revision === base
        return Effect.succeed((isBase ? base : revision === "HEAD" || revision === head ? head : null) ?? null)
      }),
      mergeBase: Effect.fn("Git.mergeBase")(() => Effect.succeed(null)),
      branch: Effect.fn("Git.branch")(() => Effect.succeed(null)),
      exists: Effect.fn("Git.exists")((worktree) => Effect.succeed(worktree === newest?.worktree)),
      isIsolated: Effect.fn("Git.isIsolated")((place) => Effect.succeed(pins.some(({ tree }) => tree === place))),
      identity: Effect.fn("Git.identity")((root, target, against) =>
        Effect.succeed<Identity>(shown(root, target, against)?.identity ?? { _tag: "Unknown", why: other })
      ),
      stagedApart: Effect.fn("Git.stagedApart")(() => Effect.succeed([])),
      changedAfter: Effect.fn("Git.changedAfter")(() => Effect.succeed([])),
      overview: Effect.fn("Git.overview")(() => Effect.succeed({ extent: null, absent: [], problem: null })),
      isolate: Effect.fn("Git.isolate")(function*(root, _run, { base, target }) {
        const pinned = shown(root, target, base)
        if (pinned === null) return yield* notPinned(other)
        const { identity, tree: place } = pinned
        return identity._tag === "Unknown" ? yield* notPinned(identity.why) : { place, identity }
      }),
      changesIn: Effect.fn("Git.changesIn")((_root, _run, place) =>
        Effect.succeed(pins.some(({ tree }) => tree === place) ? [] : null)
      ),
      baseProblem: Effect.fn("Git.baseProblem")(function*(_root, branch) {
        return branch === newest?.submission.branch ? null : yield* refused("looking at the target", other)
      }),
      targetProblem: Effect.fn("Git.targetProblem")(function*(root, target, against) {
        const pinned = shown(root, target, against)
        return pinned === null ? yield* refused("looking at the target", other) : pinned.problem
      })
    })
  )
}

// All services. No agent works on a submission, so there is nothing to snapshot and nothing to undo.

const nothingPinned = { _tag: "ProgramFailed", program: "git", status: null, said: "nothing is pinned here" } as const

const noSnapshots = Effect.fail(
  new SnapshotFailed({
    reason: { _tag: "CodeFailed", why: "submitted code has no snapshots: no agent works on it", fault: null }
  })
)

/** The base branch of the newest submission. */
const gitHub = (newest: Pin | undefined): Layer.Layer<GitHub> =>
  Layer.succeed(
    GitHub,
    GitHub.of({
      baseOf: Effect.fn("GitHub.baseOf")(function*(_root, number) {
        if (newest?.submission.pr !== number) return yield* new GitHubFailed({ number, reason: nothingPinned })
        return newest.submission.branch
      })
    })
  )

/** The dismissals of the base branch. Those of the change under review do not count. */
const dismissals = (newest: Pin | undefined): Layer.Layer<Dismissals> => {
  const refused = new DismissalsFailed({ reason: nothingPinned })
  return Layer.succeed(
    Dismissals,
    Dismissals.of({
      read: Effect.fn("Dismissals.read")(function*(_worktree, from) {
        const { base, branch } = newest?.submission ?? {}
        const isBase = (from._tag === "Base" && from.branch === branch) ||
          (from._tag === "Revision" && (from.revision === base || from.revision === branch))
        return newest !== undefined && isBase ? newest.dismissals : yield* refused
      }),
      add: Effect.fn("Dismissals.add")(() => Effect.fail(refused)),
      replace: Effect.fn("Dismissals.replace")(() => Effect.fail(refused))
    })
  )
}

const snapshots: Layer.Layer<Snapshots> = Layer.succeed(
  Snapshots,
  Snapshots.of({
    take: Effect.fn("Snapshots.take")(() => noSnapshots),
    takeChanged: Effect.fn("Snapshots.takeChanged")(() => noSnapshots),
    list: Effect.fn("Snapshots.list")(() => Effect.succeed([])),
    lastAfter: Effect.fn("Snapshots.lastAfter")(() => Effect.succeed(null)),
    gitDirectories: Effect.fn("Snapshots.gitDirectories")(() => Effect.succeed([])),
    gitChanges: Effect.fn("Snapshots.gitChanges")(() => noSnapshots),
    protectedChanges: Effect.fn("Snapshots.protectedChanges")(() => Effect.succeed([])),
    acceptProtected: Effect.fn("Snapshots.acceptProtected")(() => Effect.void),
    diff: Effect.fn("Snapshots.diff")(() => noSnapshots),
    restore: Effect.fn("Snapshots.restore")(() => noSnapshots),
    preview: Effect.fn("Snapshots.preview")(() => noSnapshots),
    finish: Effect.fn("Snapshots.finish")(() => Effect.succeed(null)),
    unfinished: Effect.fn("Snapshots.unfinished")(() => Effect.succeed(false)),
    aside: Effect.fn("Snapshots.aside")(() => Effect.succeed(null)),
    snapshotted: Effect.fn("Snapshots.snapshotted")(() => Effect.succeed([])),
    forget: Effect.fn("Snapshots.forget")(() => Effect.void)
  })
)

/** The layers for the runs of one pull request, whose pins come the newest first. */
export const pinnedLayers = (pins: ReadonlyArray<Pin>): Layer.Layer<Git | GitHub | Dismissals | Snapshots> =>
  Layer.mergeAll(pinnedGitLayer(pins), gitHub(pins[0]), dismissals(pins[0]), snapshots)

/** The layer for submissions that are laid out below `work`. */
export const pinnedCodeLayer = (work: string): Layer.Layer<PinnedCode> =>
  Layer.succeed(
    PinnedCode,
    PinnedCode.of({
      pin: Effect.fn("PinnedCode.pin")((submission, tree) =>
        pinOf(storeOf(work, submission), submission, { tree, worktree: join(work, placesOf(submission).worktree) })
      ),
      shown: pinnedLayers
    })
  )

/** The layers for these pins, newest first. Worktrees of a store count as present: in doubt a run continues. */
export const pinnedInCloneLayer = (pins: ReadonlyArray<Pin>, repository: Effect.Effect<Repository, GitFailed>) => {
  const git = Layer.effect(
    Git,
    Effect.map(Git, (git) => ({ ...git, repository: () => repository, exists: () => Effect.succeed(true) }))
  )
  return Layer.provideMerge(git, pinnedLayers(pins))
}
