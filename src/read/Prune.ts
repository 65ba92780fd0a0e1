// Prune: removes runs that are old and over.
import { Clock, Effect, Schema } from "effect"
import { Git, isUnique } from "../code/Git.ts"
import { shownName } from "../code/Names.ts"
import { type Aside, asideText, Snapshots } from "../code/Snapshots.ts"
import type { LogReadError } from "../log/EventLog.ts"
import { type RunRef, sameRun } from "../log/Refs.ts"
import { recovered } from "../platform/Note.ts"
import { Output } from "../platform/Process.ts"
import { ReviewFiles } from "../review/ReviewFiles.ts"
import { slotsOf } from "../run/Batch.ts"
import { Count, documentText, RunName, runName, version } from "../run/Document.ts"
import type { Level } from "../run/Level.ts"
import { type CuttableTranscript, RunStore, type StoreFailed } from "../run/RunStore.ts"
import { selectAll, type SearchPlace } from "../step/Selection.ts"
import { counted, size, span } from "../text/Phrases.ts"
import { oneLine } from "../text/Untrusted.ts"
import { readFacts } from "./Look.ts"
import type { BatchView, RunFacts } from "./RunView.ts"

// The attempts of a run whose transcripts can be cut, because they are no longer needed whole.
// An unfinished run keeps the transcripts that its next step reads and that would prove its fixed point.

const isComplete = ({ started }: BatchView): boolean => slotsOf(started, "Finished").length === started.size

/** The numbers of the last complete batches of each level. */
const lastOf = (batches: ReadonlyArray<BatchView>): ReadonlyMap<Level, number> =>
  new Map(batches.filter(isComplete).map(({ batch, level }) => [level, batch]))

const stateOf = {
  Finished: "Reviewed",
  Running: "Open",
  Failed: "Failed",
  Queued: "Failed"
} as const

const attemptsOf = (
  run: RunRef,
  { batch, level, started }: BatchView,
  reviewed: boolean
): ReadonlyArray<CuttableTranscript> =>
  started.slots.flatMap((slot): ReadonlyArray<CuttableTranscript> => {
    const at = (attempt: number) => ({ run, level, batch, slot: slot.slot, attempt })
    const archived = Array.from({ length: Math.max(0, slot.attempts - 1) }, (_, i): CuttableTranscript => ({
      review: at(i + 1),
      state: "Archived"
    }))
    if (slot.attempts === 0 || (slot._tag === "Finished" && !reviewed)) return archived
    return [...archived, { review: at(slot.attempts), state: stateOf[slot._tag] }]
  })

/** The transcripts of a run that can be cut; `over`: no step will continue it. */
export const cuttable = (
  { batches, ref, review }: RunFacts,
  over: boolean
): ReadonlyArray<CuttableTranscript> => {
  const last = lastOf(batches)
  return batches.flatMap((one) => {
    const isCurrent = one.level === review?.current_level && one.batch === review.batch_number
    const needed = !over && (isCurrent || last.get(one.level) === one.batch)
    return attemptsOf(ref, one, !needed)
  })
}

// Removes snapshots with their run, and the snapshots of runs that are already gone.
// A snapshot is all that an undo has. So it stays as long as its run exists, in any state root.

/** Removes a run with its snapshots. Snapshots that cannot be removed now go with a later call. */
export const removeRun = Effect.fn("Prune.removeRun")(function*(
  run: RunRef,
  worktree: string | null,
  isLatest: boolean
) {
  yield* (yield* RunStore).remove(run, { isLatest })
  if (worktree === null) return
  const forget = (yield* Snapshots).forget(run, worktree)
  if (yield* (yield* Git).exists(worktree)) yield* Effect.catch(forget, recovered("snapshots stay until a later call"))
})

/** The runs that are gone but have left old enough snapshots in the repository of the caller's directory. */
export const pruneGone = Effect.fn("Prune.pruneGone")(
  function*({ age, dryRun, transcripts }: PruneOptions, { cwd }: SearchPlace) {
    if (transcripts === true) return []
    const snapshots = yield* Snapshots
    const store = yield* RunStore
    const git = yield* Git
    const { root } = yield* git.repository(cwd)
    const now = yield* Clock.currentTimeMillis
    const gone: Array<Judged> = []
    for (const { at, run } of yield* snapshots.snapshotted(root)) {
      // A state root that is temporarily missing may still have the run.
      if (!(yield* git.exists(run.root))) continue
      if (now - at < age || (yield* store.list(run.root, run.repoId)).some((one) => sameRun(one, run))) continue
      if (!dryRun) yield* snapshots.forget(run, root)
      gone.push({ run, age: now - at, kept: null, gone: true })
    }
    return gone
  },
  Effect.catch((error) => Effect.as(recovered("snapshots of runs that are gone stay")(error), []))
)

// The output of pruning: the runs it removed and the old ones it kept.
// One line for each run. Nothing is removed without a line about it.

const keptText = (kept: Kept): string => {
  switch (kept._tag) {
    case "ReviewersRun":
      return "reviewers, agents or tests of it run"
    case "OfAnotherRun":
      return "its log is about another run"
    case "Unfinished":
      return "unfinished: the next call continues it"
    case "UndoUnfinished":
      return "an undo of it was cut off: the next call or undo of the run finishes it"
    case "Aside":
      return `${asideText(kept.aside)}; --force removes that too`
    case "Unreadable":
      return `cannot be read: ${kept.error.message}`
    case "NotRemoved":
      return `cannot be removed: ${kept.error.message}`
  }
}

const line = ({ age, aside = null, freed, gone, kept, run }: Judged, dryRun: boolean): string => {
  if (gone === true) {
    const done = dryRun ? "would remove" : "removed"
    return `${oneLine(`${done} the snapshots of ${run.runId} (${run.repoId}/${run.targetKey}), a run that is gone`)}\n`
  }
  if (freed !== undefined) {
    const done = dryRun ? "would free" : "freed"
    return `${oneLine(`${done} ${size(freed)} of transcripts of ${run.runId} (${run.repoId}/${run.targetKey})`)}\n`
  }
  const what = kept === null ? dryRun ? "would remove" : "removed" : "kept"
  const why = kept === null ? "" : `: ${keptText(kept)}`
  const lost = kept === null && aside !== null ? aside.files.map((path) => `  with ${shownName(path)}\n`).join("") : ""
  return `${oneLine(`${what} ${run.runId} (${run.repoId}/${run.targetKey}, ${span(age)} old)${why}`)}\n${lost}`
}

/** The least age of the runs in milliseconds, whether it was a dry run, and where a run lies. */
interface Display {
  readonly age: number
  readonly dryRun: boolean
  readonly transcripts?: boolean
  readonly directoryOf: (run: RunRef) => string
}

/** The lines for people. */
export const pruned = (judged: ReadonlyArray<Judged>, { age, dryRun, transcripts }: Display): string => {
  if (judged.length === 0) return `no run is older than ${span(age)}\n`
  const freed = judged.reduce((sum, one) => sum + (one.freed ?? 0), 0)
  if (transcripts === true) {
    const shown = judged.filter((one) => one.freed !== 0).map((one) => line(one, dryRun)).join("")
    return `${shown}${dryRun ? "would free" : "freed"} ${size(freed)} of transcripts\n`
  }
  const runs = judged.filter(({ gone }) => gone !== true)
  const removed = runs.filter(({ kept }) => kept === null).length
  const total = `${dryRun ? "would remove" : "removed"} ${counted(removed, "run")}, kept ${runs.length - removed}\n`
  return judged.map((one) => line(one, dryRun)).join("") + total
}

/** The document of `runs --prune --json`. */
export class Pruned extends Schema.Class<Pruned>("Pruned")({
  schema: version,
  dryRun: Schema.Boolean,
  runs: Schema.Array(Schema.Struct({
    run: RunName,
    directory: Schema.String,
    ageMilliseconds: Count,
    removed: Schema.Boolean,
    freed: Schema.NullOr(Count),
    gone: Schema.Boolean,
    /** Why the run was kept, by name and in words; null if it was not. */
    kept: Schema.NullOr(Schema.Literals([
      "ReviewersRun",
      "OfAnotherRun",
      "Unfinished",
      "UndoUnfinished",
      "Aside",
      "Unreadable",
      "NotRemoved"
    ])),
    text: Schema.NullOr(Schema.String),
    /** What undo had moved aside in it. */
    aside: Schema.Array(Schema.String)
  }))
}) {}

/** The same as one document. */
export const prunedJson = (judged: ReadonlyArray<Judged>, { directoryOf, dryRun }: Display): string =>
  documentText(Pruned, {
    dryRun,
    runs: judged.map(({ age, aside, freed, gone, kept, run }) => ({
      run: runName(run),
      directory: directoryOf(run),
      ageMilliseconds: Math.round(age),
      removed: kept === null && !dryRun && freed === undefined,
      freed: freed ?? null,
      gone: gone === true,
      kept: kept?._tag ?? null,
      text: kept === null ? null : keptText(kept),
      aside: (aside?.files ?? []).map(shownName)
    }))
  })

// Removes stored runs that are old and over.
// In doubt a run stays: one whose reviewers run, one that a next step would go on with, one that cannot be read.

/**
 * What to remove: runs that were last touched `age` milliseconds ago or earlier, of `all` repositories or of this one;
 * if others may share its name, only those of this worktree and of worktrees that are gone.
 */
export interface PruneOptions {
  readonly all: boolean
  readonly age: number
  /** Remove nothing; only report what would be removed. */
  readonly dryRun: boolean
  /** Remove also runs in which undo has moved something aside. */
  readonly force?: boolean
  /** Remove no run: cut long transcripts that nothing needs whole any more. */
  readonly transcripts?: boolean
}

/** Why a run stays. `NotRemoved`: it should be removed, but the store failed. */
export type Kept =
  | { readonly _tag: "ReviewersRun" }
  | { readonly _tag: "OfAnotherRun" }
  | { readonly _tag: "Unfinished" }
  | { readonly _tag: "UndoUnfinished" }
  | { readonly _tag: "Aside"; readonly aside: Aside }
  | { readonly _tag: "Unreadable"; readonly error: LogReadError }
  | { readonly _tag: "NotRemoved"; readonly error: StoreFailed }

/** A run that is old enough: removed (null), or kept for a reason. `age` in milliseconds. */
export interface Judged {
  readonly run: RunRef
  readonly age: number
  readonly kept: Kept | null
  /** What undo has moved aside in it. */
  readonly aside?: Aside | null
  /** The bytes freed from its transcripts; absent if runs are removed. */
  readonly freed?: number
  /** The run was already gone, but had left snapshots in the repository. */
  readonly gone?: true
}

/** The state while the runs of one target are judged, newest first. */
interface Neighbours {
  /** Only this worktree's runs are pruned, and those of worktrees that are gone; null for all. */
  readonly here: string | null
  readonly latest: string | null
  /** Worktrees whose newest run has been seen: an older one is never continued. */
  readonly worktrees: Set<string>
}

/** Why a run must stay, or null. It is over at its end, or once no step can come back to it. */
const reasonToKeep = Effect.fnUntraced(function*(
  facts: RunFacts,
  { latest, worktrees }: Neighbours,
  aside: Aside | null,
  force: boolean
) {
  const { isOver, isOwn, ref, unread, worktree } = facts
  if (unread !== null && unread._tag !== "LogMissing") return { _tag: "Unreadable", error: unread } satisfies Kept
  const { reviewersAlive } = yield* (yield* RunStore).look(ref)
  // A crash during its creation leaves a run without a log, which is empty.
  if (worktree === null) return reviewersAlive ? { _tag: "ReviewersRun" } satisfies Kept : null
  const isNewest = !worktrees.has(worktree)
  worktrees.add(worktree)
  if (reviewersAlive) return { _tag: "ReviewersRun" } satisfies Kept
  if (!isOwn) return { _tag: "OfAnotherRun" } satisfies Kept
  const exists = yield* (yield* Git).exists(worktree)
  if (exists && (yield* (yield* Snapshots).unfinished(ref))) return { _tag: "UndoUnfinished" } satisfies Kept
  if (exists && !isOver && (isNewest || ref.runId === latest)) return { _tag: "Unfinished" } satisfies Kept
  return aside === null || force ? null : { _tag: "Aside", aside } satisfies Kept
})

const judge = Effect.fnUntraced(function*(run: RunRef, neighbours: Neighbours, options: PruneOptions, now: number) {
  const facts = yield* readFacts(run)
  const { changedAt } = yield* (yield* RunStore).look(run)
  const age = now - Math.max(changedAt, facts.updated ?? 0)
  const aside = yield* Effect.orElseSucceed((yield* Snapshots).aside(run), () => null)
  const kept = yield* reasonToKeep(facts, neighbours, aside, options.force === true)
  const { here } = neighbours
  const isOthers = here !== null && facts.worktree !== null && facts.worktree !== here
  if (isOthers && (yield* (yield* Git).exists(facts.worktree))) return null
  return age < options.age ? null : { facts, one: { run, age, kept, aside } satisfies Judged }
})

/** Whether codex recorded a review of an open attempt: it counts, whatever ended its reviewer. */
const isRecorded = Effect.fnUntraced(function*({ review }: CuttableTranscript) {
  const evidence = (yield* ReviewFiles).evidence(review, { acting: false })
  return yield* Effect.match(evidence, {
    onSuccess: ({ session }) => session._tag === "Found" && session.output !== null,
    onFailure: () => true
  })
})

/** Cuts the transcripts of a run that are no longer needed whole: of all its batches, if it is over. */
const freed = Effect.fnUntraced(function*(facts: RunFacts, kept: Kept | null, dryRun: boolean) {
  if (kept?._tag === "OfAnotherRun" || kept?._tag === "Unreadable") return 0
  const all = yield* Effect.filter(
    cuttable(facts, kept === null),
    (one) => one.state === "Open" ? Effect.map(isRecorded(one), (recorded) => !recorded) : Effect.succeed(true)
  )
  return yield* (yield* RunStore).cutTranscripts(all, { dryRun })
})

const pruneTarget = Effect.fnUntraced(function*(
  runs: ReadonlyArray<RunRef>,
  options: PruneOptions,
  here: string | null
) {
  const store = yield* RunStore
  const [first] = runs
  if (first === undefined) return []
  const now = yield* Clock.currentTimeMillis
  const work = Effect.gen(function*() {
    const pointer = yield* store.latest(first)
    const latest = pointer._tag === "Run" ? pointer.run.runId : null
    const neighbours: Neighbours = { here, latest, worktrees: new Set() }
    const judged: Array<Judged> = []
    for (const run of runs) {
      const old = yield* judge(run, neighbours, options, now)
      if (old === null) continue
      const { facts, one } = old
      const done = Effect.gen(function*() {
        if (options.transcripts === true) {
          return { ...one, freed: yield* freed(facts, one.kept, options.dryRun) } satisfies Judged
        }
        if (one.kept === null && !options.dryRun) yield* removeRun(run, facts.worktree, run.runId === latest)
        return one
      })
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
 * Removes the runs that are over and older than `age`, or reports which it would, and which old ones it keeps, and why.
 * Never removed: a run whose reviewers live, a run that the next step would continue, an unreadable run.
 */
export const pruneRuns = Effect.fn("Prune.pruneRuns")(function*(options: PruneOptions, where: SearchPlace) {
  const byTarget = new Map<string, Array<RunRef>>()
  for (const run of yield* selectAll(where, options.all)) {
    const key = `${run.repoId}/${run.targetKey}`
    byTarget.set(key, [...(byTarget.get(key) ?? []), run])
  }
  const repository = options.all ? null : yield* (yield* Git).repository(where.cwd)
  const here = repository === null || isUnique(repository) ? null : repository.root
  const judged = yield* Effect.forEach(byTarget.values(), (runs) => pruneTarget(runs, options, here))
  return [...judged.flat(), ...(yield* pruneGone(options, where))]
})

/** Prunes and reports each run. True if everything intended was removed. */
export const prune = Effect.fn("Prune.prune")(
  function*({ json, ...options }: PruneOptions & { readonly json: boolean }, where: SearchPlace) {
    const { runPlaces } = yield* RunStore
    const judged = yield* pruneRuns(options, where)
    const text = json ? prunedJson : pruned
    yield* (yield* Output).write(text(judged, { ...options, directoryOf: (run) => runPlaces(run).directory }))
    return judged.every(({ kept }) => kept?._tag !== "NotRemoved")
  }
)
