// StopStep: the `stop` subcommand: ends the reviewers of a run, whoever waits for them.
// It creates nothing. It ends in DoneAborted even if there was nothing to stop.
import { Effect } from "effect"
import type { Head } from "../core/log/Head.ts"
import type { Level } from "../core/run/Level.ts"
import { batchName, counted } from "../core/text/Phrases.ts"
import { type Target, targetKey } from "../core/run/Target.ts"
import { endRemains, endReviews } from "../ooda/EndReviews.ts"
import { tellingWhatFills } from "../runs/FullDisk.ts"
import { currentRun, expectHead } from "../runs/OpenRun.ts"
import { read, type Run } from "../runs/Run.ts"
import { select } from "../runs/SelectRun.ts"
import { runUnderWay } from "../runs/UnderWay.ts"
import { Environment, type Variables } from "../services/Environment.ts"
import { Git } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"
import type { StepResult } from "./StepResult.ts"

/** Which run is stopped. A null floor means that run, wherever it began. */
export interface Stopping {
  /** The target whose current run is stopped; null means the one run of this worktree that is under way. */
  readonly target: Target | null
  /** The beginning of the id of the run to stop, whosever it is; then the target does not matter. */
  readonly run?: string | null
  readonly floor: Level | null
  readonly stateRoot: string | null
  /** The head that the caller knows: a run that has moved on is not stopped, but HeadMoved. */
  readonly expectHead?: Head | null
}

/** What a stop came to. `reviewers`: how many it ended; null where none was under way. */
export interface Stopped extends StepResult {
  readonly reviewers: number | null
}

const aborted = (line: string, run: Run | null, reviewers: number | null = null): Stopped => ({
  line,
  outcome: { _tag: "DoneAborted" },
  run,
  reviewers
})

const chosen = Effect.fnUntraced(function*({ run = null, stateRoot, target }: Stopping, cwd: string) {
  if (run !== null) return yield* read(yield* select({ _tag: "Named", prefix: run }, { stateRoot, cwd }))
  const repository = yield* (yield* Git).repository(cwd)
  const root = yield* (yield* RunStore).open(stateRoot, cwd)
  return yield* target === null
    ? runUnderWay(root, repository)
    : currentRun({ repository, target: { root, repoId: repository.id, targetKey: targetKey(target) } })
})

/** Ends the reviewers of a run's current batch, and what they have left behind. */
export const stopReviewers = Effect.fn("StopStep.stopReviewers")(function*(found: Run) {
  const { reviewers, run } = yield* tellingWhatFills(found.ref.root, endReviews(found, "Stop"))
  const left = reviewers === null ? yield* endRemains(run) : 0
  const { batch_number, current_level } = run.manifest
  const where = batchName({ level: current_level, batch: batch_number })
  const remains = left === 0 ? "" : `; ended ${counted(left, "process", "processes")} that its reviewers had left`
  const line = reviewers === null
    ? `nothing to stop: ${where} does not run${remains}`
    : `stopped ${reviewers} reviewer(s) of ${where}`
  return aborted(line, run, reviewers)
})

/**
 * Stops one run. The line says what was stopped, or why there was nothing to stop. `env` is all the
 * environment there is for it.
 */
export const stopStep = Effect.fn("StopStep.stopStep")(function*(stopping: Stopping, cwd: string, _env: Variables) {
  const { floor, target } = stopping
  const found = yield* chosen(stopping, cwd)
  yield* expectHead(stopping.expectHead ?? null, found)
  if (found === null) {
    const none = target === null ? "no run of this worktree is under way" : `no run of ${targetKey(target)}`
    return aborted(`nothing to stop: ${none}`, null)
  }
  const { start_level, target_key } = found.manifest
  if (floor !== null && floor !== start_level) {
    return aborted(`nothing to stop: the current run of ${target_key} begins at ${start_level}, not at ${floor}`, null)
  }
  return yield* stopReviewers(found)
}, (self, _stopping, _cwd, env) => Effect.provideService(self, Environment, env))
