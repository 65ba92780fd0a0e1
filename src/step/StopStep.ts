// StopStep: the `stop` subcommand: ends the reviewers of a target's current run, whoever waits for them.
// It creates nothing, and ends in DoneAborted also where there was nothing to stop.
import { Effect } from "effect"
import type { Head } from "../core/log/Head.ts"
import type { Level } from "../core/run/Level.ts"
import { batchName } from "../core/text/Phrases.ts"
import { type Target, targetKey } from "../core/run/Target.ts"
import { endRemains, endReviews } from "../ooda/EndReviews.ts"
import { currentRun, expectHead } from "../runs/OpenRun.ts"
import type { Run } from "../runs/Run.ts"
import { Environment, type Variables } from "../services/Environment.ts"
import { Git } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"
import type { StepResult } from "./StepResult.ts"

/** Which run is stopped. A null floor means the current run of the target, wherever it began. */
export interface Stopping {
  readonly target: Target
  readonly floor: Level | null
  readonly stateRoot: string | null
  /** The head that the caller knows: a run that has moved on is not stopped, but HeadMoved. */
  readonly expectHead?: Head | null
}

const aborted = (line: string, run: Run | null): StepResult => ({ line, outcome: { _tag: "DoneAborted" }, run })

/**
 * Stops the current run of a target. The line says what was stopped, or why there was nothing to stop. `env` is all the
 * environment there is for it.
 */
export const stopStep = Effect.fn("StopStep.stopStep")(function*(stopping: Stopping, cwd: string, _env: Variables) {
  const { floor, stateRoot, target } = stopping
  const repository = yield* (yield* Git).repository(cwd)
  const root = yield* (yield* RunStore).open(stateRoot, cwd)
  const key = targetKey(target)
  const found = yield* currentRun({ repository, target: { root, repoId: repository.id, targetKey: key } })
  yield* expectHead(stopping.expectHead ?? null, found)
  if (found === null) return aborted(`nothing to stop: no run of ${key}`, null)
  const { start_level } = found.manifest
  if (floor !== null && floor !== start_level) {
    return aborted(`nothing to stop: the current run of ${key} begins at ${start_level}, not at ${floor}`, null)
  }
  const { reviewers, run } = yield* endReviews(found, "Stop")
  if (reviewers === null) yield* endRemains(run)
  const { batch_number, current_level } = run.manifest
  const where = batchName({ level: current_level, batch: batch_number })
  const line = reviewers === null
    ? `nothing to stop: ${where} does not run`
    : `stopped ${reviewers} reviewer(s) of ${where}`
  return aborted(line, run)
}, (self, _stopping, _cwd, env) => Effect.provideService(self, Environment, env))
