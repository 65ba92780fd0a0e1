// Prune: removes stored runs that are old and over.
// In doubt a run stays: one whose reviewers run, one that a next step would go on with, one that cannot be read.
import { Clock, Effect } from "effect"
import type { LogReadError } from "../services/EventLog.ts"
import { Git } from "../services/Git.ts"
import { Output } from "../services/Output.ts"
import { RunStore, type StoreFailed } from "../services/RunStore.ts"
import { Snapshots } from "../services/Snapshots.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { cuttable } from "./Cutting.ts"
import { pruned, prunedJson } from "./PrunedText.ts"
import { pruneGone, removeRun } from "./PruneSnapshots.ts"
import { type Found, storedRun } from "./StoredRun.ts"
import { selectAll, type Where } from "../runs/SelectRun.ts"
import { recovered } from "../services/Note.ts"

/** What is removed: runs of this repository or of `all` that were last touched `age` milliseconds ago or earlier. */
export interface PruneOptions {
  readonly all: boolean
  readonly age: number
  /** Remove nothing; only say what would be removed. */
  readonly dryRun: boolean
  /** Remove no run: cut long transcripts that nothing needs whole any more. */
  readonly transcripts?: boolean
}

/** Why a run stays. `NotRemoved`: it was to go, and the store failed. */
export type Kept =
  | { readonly _tag: "ReviewersRun" }
  | { readonly _tag: "OfAnotherRun" }
  | { readonly _tag: "Unfinished" }
  | { readonly _tag: "UndoUnfinished" }
  | { readonly _tag: "Unreadable"; readonly error: LogReadError }
  | { readonly _tag: "NotRemoved"; readonly error: StoreFailed }

/** A run that is old enough: taken away (null), or kept for a reason. `age` in milliseconds. */
export interface Judged {
  readonly run: RunRef
  readonly age: number
  readonly kept: Kept | null
  /** The bytes of its transcripts that were freed; absent where runs are removed. */
  readonly freed?: number
  /** The run was gone already, and had left snapshots in the repository. */
  readonly gone?: true
}

/** What is known of the runs of one target while each of them is judged, newest first. */
interface Neighbours {
  readonly latest: string | null
  /** Worktrees whose newest run has been seen: an older one is never gone on with. */
  readonly worktrees: Set<string>
}

/** Why a run has to stay, or null. It is over at its fixed point, or once no step can come back to it. */
const reasonToKeep = Effect.fnUntraced(function*(run: RunRef, found: Found, { latest, worktrees }: Neighbours) {
  if (found._tag === "Unreadable") return found satisfies Kept
  const { reviewersAlive } = yield* (yield* RunStore).look(run)
  if (found._tag === "Empty") return reviewersAlive ? { _tag: "ReviewersRun" } satisfies Kept : null
  const { isOver, isOwn, worktree } = found
  const isNewest = !worktrees.has(worktree)
  worktrees.add(worktree)
  if (reviewersAlive) return { _tag: "ReviewersRun" } satisfies Kept
  if (!isOwn) return { _tag: "OfAnotherRun" } satisfies Kept
  const exists = yield* (yield* Git).exists(worktree)
  if (exists && (yield* (yield* Snapshots).unfinished(run))) return { _tag: "UndoUnfinished" } satisfies Kept
  if (isOver || !(isNewest || run.runId === latest)) return null
  return exists ? { _tag: "Unfinished" } satisfies Kept : null
})

const judge = Effect.fnUntraced(function*(run: RunRef, neighbours: Neighbours, options: PruneOptions, now: number) {
  const found = yield* storedRun(run)
  const { changedAt } = yield* (yield* RunStore).look(run)
  const touched = Math.max(changedAt, found._tag === "Read" ? found.lastAt : 0)
  const kept = yield* reasonToKeep(run, found, neighbours)
  return now - touched < options.age ? null : { found, one: { run, age: now - touched, kept } satisfies Judged }
})

/** Frees the transcripts of a run that nothing needs whole any more: of all its batches, if it is over. */
const freed = Effect.fnUntraced(function*(run: RunRef, found: Found, kept: Kept | null, dryRun: boolean) {
  const foreign = kept?._tag === "OfAnotherRun"
  if (found._tag !== "Read" || foreign) return 0
  return yield* (yield* RunStore).cutTranscripts(cuttable(run, found.commits, kept === null), { dryRun })
})

const pruneTarget = Effect.fnUntraced(function*(runs: ReadonlyArray<RunRef>, options: PruneOptions) {
  const store = yield* RunStore
  const [first] = runs
  if (first === undefined) return []
  const now = yield* Clock.currentTimeMillis
  const work = Effect.gen(function*() {
    const pointer = yield* store.latest(first)
    const latest = pointer._tag === "Run" ? pointer.run.runId : null
    const neighbours: Neighbours = { latest, worktrees: new Set() }
    const judged: Array<Judged> = []
    for (const run of runs) {
      const old = yield* judge(run, neighbours, options, now)
      if (old === null) continue
      const { found, one } = old
      const remove = one.kept === null && !options.dryRun
        ? removeRun(run, found._tag === "Read" ? found.worktree : null, run.runId === latest)
        : Effect.void
      const done = options.transcripts === true
        ? Effect.map(freed(run, found, one.kept, options.dryRun), (bytes): Judged => ({ ...one, freed: bytes }))
        : Effect.as(remove, one)
      judged.push(
        yield* Effect.catch(
          done,
          (error): Effect.Effect<Judged> =>
            Effect.as(recovered("the run stays")(error), { ...one, kept: { _tag: "NotRemoved", error } })
        )
      )
    }
    return judged
  })
  // The target's lock keeps steps from opening or creating a run meanwhile. A dry run changes nothing and takes no
  // lock.
  return yield* options.dryRun ? work : store.locked(first, work)
})

/**
 * Removes the runs that are over and older than `age`, or says which it would, and which old ones it keeps, and why.
 * Never removed: a run whose reviewers live, one that the next step would go on with, one that cannot be read.
 */
export const pruneRuns = Effect.fn("Prune.pruneRuns")(function*(options: PruneOptions, where: Where) {
  const byTarget = new Map<string, Array<RunRef>>()
  for (const run of yield* selectAll(where, options.all)) {
    const key = `${run.repoId}/${run.targetKey}`
    byTarget.set(key, [...(byTarget.get(key) ?? []), run])
  }
  const judged = yield* Effect.forEach(byTarget.values(), (runs) => pruneTarget(runs, options))
  return [...judged.flat(), ...(yield* pruneGone(options, where))]
})

/** Prunes and writes what became of each run. True when everything that was to go is gone. */
export const prune = Effect.fn("Prune.prune")(
  function*({ json, ...options }: PruneOptions & { readonly json: boolean }, where: Where) {
    const { runPlaces } = yield* RunStore
    const judged = yield* pruneRuns(options, where)
    const text = json ? prunedJson : pruned
    yield* (yield* Output).write(text(judged, { ...options, directoryOf: (run) => runPlaces(run).directory }))
    return judged.every(({ kept }) => kept?._tag !== "NotRemoved")
  }
)
