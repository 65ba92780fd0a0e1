// Selection: the stored runs that a command refers to.
// Nothing is guessed: a name that fits several runs, or none, is an error, and another checkout's run must be named.
import { Effect } from "effect"
import { Git, isUnique, type Repository } from "../code/Git.ts"
import { newestFirst, type RunRef, type TargetRef } from "../log/Refs.ts"
import { recovered } from "../platform/Note.ts"
import { hasWork, NoSuchRun, type NoSuchRunReason, ownerOf, storeOf } from "../run/Owner.ts"
import { CallPlace } from "../run/Naming.ts"
import { isPlanRun } from "../run/RunKind.ts"
import { RunStore } from "../run/RunStore.ts"
import { type Target, targetKey } from "../run/Target.ts"

/** How a run is named: by the beginning of its id, or as this worktree's newest, or its latest of a target. */
export type Selector =
  | { readonly _tag: "Newest" }
  | { readonly _tag: "Named"; readonly prefix: string }
  | { readonly _tag: "Latest"; readonly target: Target }

/** Where runs are searched: the configured state root (null for the default) and the caller's directory. */
export interface SearchPlace {
  readonly stateRoot: string | null
  readonly cwd: string
}

/**
 * The first of some runs that belongs to a worktree, preferably one that satisfies `wanted`. Without any it fails, and
 * names a run of another worktree.
 */
const ownOf = Effect.fnUntraced(
  function*<R = never>(
    runs: ReadonlyArray<RunRef>,
    worktree: string,
    otherwise: NoSuchRunReason,
    wanted: (run: RunRef) => Effect.Effect<boolean, never, R> = () => Effect.succeed(true)
  ) {
    let unwanted: RunRef | null = null
    let other: RunRef | null = null
    for (const run of runs) {
      const owner = yield* ownerOf(run)
      // A run whose first line is damaged may be the requested one.
      if (owner._tag === "Unknown" || (owner._tag === "Worktree" && owner.path === worktree)) {
        if (yield* wanted(run)) return run
        unwanted ??= run
      } else if (owner._tag === "Worktree") other ??= run
    }
    if (unwanted !== null) return unwanted
    return yield* new NoSuchRun({
      reason: other === null ? otherwise : { _tag: "OnlyElsewhere", worktree, newest: other.runId }
    })
  }
)

type Roots = ReadonlyArray<string>

/** The runs of a repository, or of every repository, in all of some stores; newest first. */
export const listIn = Effect.fn("Selection.listIn")(function*(roots: Roots, repository: string | null) {
  const store = yield* RunStore
  const lists = yield* Effect.forEach(roots, (root) => store.list(root, repository))
  return lists.length === 1 ? lists.flat() : lists.flat().sort(newestFirst)
})

/** Which runs can be the newest: also those of plans, and only those that have begun, if one has. */
interface NewestOptions<R> {
  readonly plans?: boolean
  readonly hasBegun: (run: RunRef) => Effect.Effect<boolean, never, R>
}

const newest = Effect.fnUntraced(
  function*<R>(roots: Roots, { id, root: worktree }: Repository, { hasBegun, plans = true }: NewestOptions<R>) {
    const runs = yield* listIn(roots, id)
    const some = plans ? runs : runs.filter((run) => !isPlanRun(run))
    return yield* ownOf(some, worktree, { _tag: "NoneHere", repoId: id, root: roots.join(" and ") }, hasBegun)
  }
)

const named = Effect.fnUntraced(function*(roots: Roots, prefix: string, { cwd }: SearchPlace) {
  const here = yield* Effect.option(
    Effect.tapError((yield* Git).repository(cwd), recovered("runs of all repositories are searched"))
  )
  const fits = ({ runId }: RunRef) => runId.startsWith(prefix)
  const near = here._tag === "Some" ? (yield* listIn(roots, here.value.id)).filter(fits) : []
  const found = near.length > 0 ? near : (yield* listIn(roots, null)).filter(fits)
  const [first, second] = found
  if (first === undefined) {
    return yield* new NoSuchRun({ reason: { _tag: "NoneBegins", prefix, root: roots.join(" and ") } })
  }
  if (second !== undefined) return yield* new NoSuchRun({ reason: { _tag: "Several", prefix, runs: found } })
  return first
})

const latest = Effect.fnUntraced(function*(roots: Roots, target: Target, { id, root: worktree }: Repository) {
  const here = { repoId: id, targetKey: targetKey(target) }
  const ref: TargetRef = { ...here, root: yield* storeOf(roots, here, worktree) }
  const store = yield* RunStore
  const pointer = yield* store.latest(ref)
  const pointed = pointer._tag === "Run" ? [pointer.run] : []
  const _tag = pointer._tag === "Dangling" ? "LatestDangling" : "NoneOfTarget"
  const none = { _tag, targetKey: ref.targetKey, place: store.targetPlace(ref) } as const
  return yield* ownOf([...pointed, ...(yield* store.runs(ref))], worktree, none)
})

/** The run that a selector names, in this worktree unless by id. The newest is one that has begun, if one has. */
export const select = (selector: Selector, where: SearchPlace, plans = true) =>
  selectBegun(selector, where, { plans, hasBegun: hasWork })

/** The same, where the caller says which runs can be the newest. */
export const selectBegun = Effect.fn("Selection.select")(function*<R>(
  selector: Selector,
  where: SearchPlace,
  options: NewestOptions<R>
) {
  const { cwd, stateRoot } = where
  const roots = yield* (yield* RunStore).roots(stateRoot, cwd, false)
  const found = Effect.gen(function*() {
    if (selector._tag === "Named") return yield* named(roots, selector.prefix, where)
    const repository = yield* (yield* Git).repository(cwd)
    return yield* selector._tag === "Newest"
      ? newest(roots, repository, options)
      : latest(roots, selector.target, repository)
  })
  return yield* Effect.catchTag(
    found,
    "NoSuchRun",
    Effect.fnUntraced(function*({ reason }) {
      const { store } = yield* CallPlace
      return yield* new NoSuchRun({ reason, place: { stateRoot, store } })
    })
  )
})

/** Every run of the repository around the caller's directory, or every run of the state root; newest first. */
export const selectAll = Effect.fn("Selection.selectAll")(function*(where: SearchPlace, everywhere: boolean) {
  const roots = yield* (yield* RunStore).roots(where.stateRoot, where.cwd, false)
  const repository = everywhere ? null : (yield* (yield* Git).repository(where.cwd)).id
  return yield* listIn(roots, repository)
})

/** The runs of a repository, newest first, as listed in one of its worktrees. */
interface OwnRuns {
  readonly worktree: string
  readonly runs: ReadonlyArray<RunRef>
  /** How many runs of the same place belong to worktrees that may be of another repository. */
  readonly elsewhere: number
}

/**
 * The runs of the repository around the caller's directory. Repositories of one name without a remote share their place
 * in a store: there each worktree has its own runs, and those whose first line cannot be read.
 */
export const selectOwn = Effect.fn("Selection.selectOwn")(function*({ cwd, stateRoot }: SearchPlace) {
  const roots = yield* (yield* RunStore).roots(stateRoot, cwd, false)
  const repository = yield* (yield* Git).repository(cwd)
  const worktree = repository.root
  const all = yield* listIn(roots, repository.id)
  if (isUnique(repository)) return { worktree, runs: all, elsewhere: 0 } satisfies OwnRuns
  const runs = yield* Effect.filter(
    all,
    (run) => Effect.map(ownerOf(run), (owner) => owner._tag !== "Worktree" || owner.path === worktree)
  )
  return { worktree, runs, elsewhere: all.length - runs.length } satisfies OwnRuns
})
