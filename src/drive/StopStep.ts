// StopStep: the `stop` subcommand: ends the reviewers of a run, whichever process waits for them.
// It creates nothing. It ends in DoneAborted even if there was nothing to stop.
import { Effect } from "effect"
import { Git, type Repository } from "../code/Git.ts"
import { isWorkedOn } from "./DriverLock.ts"
import { driverOf } from "./Spending.ts"
import { undriven } from "./State.ts"
import type { Head } from "../log/StreamKind.ts"
import { Environment, type Variables } from "../platform/Environment.ts"
import { recovered } from "../platform/Note.ts"
import { endRemains, endReviews } from "../review/End.ts"
import { underWay } from "../run/Batch.ts"
import { explainFullDisk } from "../run/FullDisk.ts"
import type { Level } from "../run/Level.ts"
import { CallPlace, readerCall } from "../run/Naming.ts"
import { read, type Run } from "../run/Run.ts"
import { isPlanRun } from "../run/RunKind.ts"
import { RunStore } from "../run/RunStore.ts"
import { NoSuchRun, storeOf } from "../run/Owner.ts"
import { listIn, select } from "../step/Selection.ts"
import { type Target, targetKey } from "../run/Target.ts"
import { batchName, counted } from "../text/Phrases.ts"
import { currentRun, expectHead } from "../step/OpenRun.ts"
import { load } from "../step/RunOfWorktree.ts"
import type { StepResult } from "../step/StepResult.ts"

/**
 * This worktree's runs whose current batch was started and has not ended, or that agents, tests or a driver work on,
 * and whether any process of them lives.
 */
const started = Effect.fnUntraced(function*(roots: ReadonlyArray<string>, repository: Repository) {
  const store = yield* RunStore
  const found: Array<{ readonly run: Run; readonly lives: boolean; readonly open: boolean }> = []
  for (const ref of yield* listIn(roots, repository.id)) {
    // A run that cannot be read cannot be stopped either. Only a caller that names this run gets an error.
    const read = yield* Effect.option(Effect.tapError(load({ repository }, ref), recovered("the run is passed over")))
    if (read._tag === "None" || read.value._tag !== "Found") continue
    const { run } = read.value
    const { batch } = run.manifest
    const open = (batch._tag === "Started" && underWay(batch).length > 0) ||
      (yield* isWorkedOn(ref, (yield* driverOf(ref))?.walked.state ?? undriven))
    // A stop that was killed may have left reviewers behind that it had recorded as stopped.
    if (!open && !(batch._tag === "Started" && batch.stopped)) continue
    found.push({ run, open, lives: (yield* store.look(ref)).reviewersAlive })
  }
  return found
})

/** This worktree's one run under way, or null if missing. NoSuchRun where there are several. */
export const runUnderWay = Effect.fn("StopStep.runUnderWay")(function*(
  roots: ReadonlyArray<string>,
  repository: Repository
) {
  const all = yield* started(roots, repository)
  const living = all.filter(({ lives }) => lives)
  const [first, ...more] = living.length > 0 ? living : all.filter(({ open }) => open)
  if (first === undefined) return null
  if (more.length === 0) return first.run
  const runs = [first, ...more].map(({ run: { ref: { repoId, runId, targetKey } } }) => ({ repoId, runId, targetKey }))
  return yield* new NoSuchRun({ reason: { _tag: "SeveralUnderWay", runs } })
})

/** Which run is stopped. A null floor means that run, wherever it began. */
export interface StopOptions {
  /** The target whose current run is stopped; null means the one run of this worktree that is under way. */
  readonly target: Target | null
  /** The beginning of the id of the run to stop, of any worktree; then the target does not matter. */
  readonly run?: string | null
  readonly floor: Level | null
  readonly stateRoot: string | null
  /** The head that the caller knows: a run that has moved on is not stopped, but HeadMoved. */
  readonly expectHead?: Head | null
}

/** What a stop came to. `reviewers`: how many it ended; null where none was under way. */
export interface StopResult extends StepResult {
  readonly reviewers: number | null
}

const aborted = (line: string, run: Run | null, reviewers: number | null = null): StopResult => ({
  line,
  outcome: { _tag: "DoneAborted" },
  run,
  reviewers
})

const chosen = Effect.fnUntraced(function*({ run = null, stateRoot, target }: StopOptions, cwd: string) {
  if (run !== null) return yield* read(yield* select({ _tag: "Named", prefix: run }, { stateRoot, cwd }))
  const repository = yield* (yield* Git).repository(cwd)
  const roots = yield* (yield* RunStore).roots(stateRoot, cwd, false)
  if (target === null) return yield* runUnderWay(roots, repository)
  const named = { repoId: repository.id, targetKey: targetKey(target) }
  const root = yield* storeOf(roots, named, repository.root)
  return yield* currentRun({ repository, target: { ...named, root } })
})

/** Ends the reviewers of a run's current batch, and what they have left behind. */
export const stopReviewers = Effect.fn("StopStep.stopReviewers")(function*(found: Run) {
  const { reviewers, run } = yield* explainFullDisk(found.ref.root, endReviews(found, "Stop"))
  const left = reviewers === null ? yield* endRemains(run) : 0
  const { batch_number, current_level } = run.manifest
  const where = batchName({ level: current_level, batch: batch_number })
  const remains = left === 0 ? "" : `; ended ${counted(left, "process", "processes")} that its reviewers had left`
  const line = reviewers === null
    ? `nothing to stop: ${where} does not run${remains}`
    : `stopped ${counted(reviewers, "reviewer")} of ${where}`
  return aborted(line, run, reviewers)
})

/** A hint at runs here that cannot be read, so that it is unknown whether they are under way; empty without any. */
const hintAtUnread = Effect.fnUntraced(function*({ stateRoot }: StopOptions, cwd: string) {
  const repository = yield* (yield* Git).repository(cwd)
  const all = yield* listIn(yield* (yield* RunStore).roots(stateRoot, cwd, false), repository.id)
  const failures = yield* Effect.forEach(
    all.filter((ref) => !isPlanRun(ref)),
    (ref) =>
      Effect.match(load({ repository }, ref), {
        onFailure: ({ _tag }) => _tag !== "LogMissing",
        onSuccess: () => false
      })
  )
  const place = { ...(yield* CallPlace), stateRoot }
  const unread = failures.filter((failed) => failed).length
  return unread === 0
    ? ""
    : `, but ${counted(unread, "run")} cannot be read [${readerCall("runs", { ...place, run: null })}]`
})

const stopped = Effect.fnUntraced(function*(stopping: StopOptions, cwd: string) {
  const { floor, target } = stopping
  const found = yield* chosen(stopping, cwd)
  yield* expectHead(stopping.expectHead ?? null, found)
  if (found === null) {
    const none = target === null
      ? `no run of this worktree is under way${yield* hintAtUnread(stopping, cwd)}`
      : `no run of ${targetKey(target)}`
    return aborted(`nothing to stop: ${none}`, null)
  }
  const { start_level, target_key } = found.manifest
  if (floor !== null && floor !== start_level) {
    return aborted(`nothing to stop: the current run of ${target_key} begins at ${start_level}, not at ${floor}`, null)
  }
  return yield* stopReviewers(found)
})

/** Stops one run, and says what was stopped or why there was nothing to stop. `env` is its whole environment. */
export const stopStep = Effect.fn("StopStep.stopStep")((stopping: StopOptions, cwd: string, env: Variables) =>
  Effect.provideService(stopped(stopping, cwd), Environment, env)
)
