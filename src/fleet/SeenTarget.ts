// SeenTarget: the pull request that a call from a clone refers to, with its pins as its code.
// If that is ambiguous, nothing is pinned and nothing is guessed.
import { Effect, Result } from "effect"
import type { RunScope } from "./RunScope.ts"
import type { RunRef, TargetRef } from "../log/Refs.ts"
import { targetKey } from "../run/Target.ts"
import type { GitFailed, Repository } from "../code/Git.ts"
import { RunStore, StoreFailed, type StoreReason } from "../run/RunStore.ts"
import { type Pin, Submissions } from "./Submission.ts"

/** A clone on this machine: its root, and the ids under which its repository may be in a store. */
interface Clone {
  readonly root: string
  readonly ids: ReadonlyArray<string>
}

/** The pins of the pull request, the newest first, and the caller's repository. */
interface ClonePins {
  readonly pins: ReadonlyArray<Pin>
  readonly repository: Effect.Effect<Repository, GitFailed>
}

const refused = (reason: StoreReason) => Effect.fail(new StoreFailed({ path: "the store", reason }))

const at = (clone: Clone, id: string, pins: ReadonlyArray<Pin>): ClonePins => ({
  pins,
  repository: Effect.succeed({ root: pins[0]?.worktree ?? clone.root, id })
})

/** The runs of a clone's repository, newest first, under the id that has any. */
const runsOf = Effect.fnUntraced(function*(root: string, { ids }: Clone) {
  const store = yield* RunStore
  for (const id of ids) {
    const runs = yield* store.list(root, id)
    if (runs.length > 0) return { id, runs }
  }
  return { id: ids[0] ?? "", runs: [] }
})

const submitted = Effect.fnUntraced(function*(root: string, number: number, key: string, clone: Clone) {
  const submissions = yield* Submissions
  for (const id of clone.ids) {
    const target: TargetRef = { root, repoId: id, targetKey: key }
    if ((yield* submissions.of(target, 1)).length === 0) continue
    const pins = yield* submissions.pins(target)
    return pins.length === 0 ? yield* refused({ _tag: "NotTakenUp", number }) : at(clone, id, pins)
  }
  return yield* refused({ _tag: "NotSubmitted", number })
})

/** The target that all these runs share, or null. */
const onlyTarget = ([first, ...rest]: ReadonlyArray<RunRef>): TargetRef | null =>
  first === undefined || rest.some(({ repoId, targetKey }) => repoId !== first.repoId || targetKey !== first.targetKey)
    ? null
    : first

const pinsOf = (target: TargetRef | null) =>
  target === null ? Effect.succeed([]) : Submissions.use((submissions) => submissions.pins(target))

/** The code that a call refers to, from a directory whose clone is `here`. */
export const seenTarget = Effect.fn("SeenTarget.seenTarget")(
  function*(meant: RunScope, here: Effect.Effect<Clone, GitFailed>) {
    const store = yield* RunStore
    const root = yield* store.open(null, "")
    switch (meant._tag) {
      case "Unsaid":
        return yield* refused({ _tag: "PullRequestOnly" })
      case "Latest": {
        const { target } = meant
        if (target._tag !== "PullRequest") return yield* refused({ _tag: "PullRequestOnly" })
        return yield* submitted(root, target.number, targetKey(target), yield* here)
      }
      case "Newest": {
        const clone = yield* here
        const { id, runs: [newest = null] } = yield* runsOf(root, clone)
        return at(clone, id, yield* pinsOf(newest))
      }
      case "All":
      case "Named": {
        const clone = yield* Effect.result(here)
        const own = Result.isFailure(clone) ? null : yield* runsOf(root, clone.success)
        const repository = Effect.map(Effect.fromResult(clone), ({ root }) => ({ root, id: own?.id ?? "" }))
        if (meant._tag === "All") return { pins: [], repository } satisfies ClonePins
        const fits = ({ runId }: RunRef) => runId.startsWith(meant.prefix)
        const near = own?.runs.filter(fits) ?? []
        const found = near.length > 0 ? near : (yield* store.list(root, null)).filter(fits)
        return { pins: yield* pinsOf(onlyTarget(found)), repository } satisfies ClonePins
      }
    }
  }
)
