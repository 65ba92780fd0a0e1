// UnderWay: the one run of this worktree whose reviewers, agents, tests or driver are at work, whatever its target.
// A run with living reviewers is under way. Where no reviewer lives, as while all wait for a retry, the logs decide.
import { Effect } from "effect"
import { undriven } from "../core/driven/DrivenState.ts"
import { underWay } from "../core/run/Batch.ts"
import type { Repository } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"
import { isWorkedOn } from "./DriverSeen.ts"
import { NoSuchRun } from "./NoSuchRun.ts"
import type { Run } from "./Run.ts"
import { load } from "./RunOfWorktree.ts"
import { driverOf } from "./Spending.ts"
import { recovered } from "../services/Note.ts"

/**
 * This worktree's runs whose current batch was started and has not ended, or that agents, tests or a driver work on,
 * and whether any process of them lives.
 */
const started = Effect.fnUntraced(function*(root: string, repository: Repository) {
  const store = yield* RunStore
  const found: Array<{ readonly run: Run; readonly lives: boolean; readonly open: boolean }> = []
  for (const ref of yield* store.list(root, repository.id)) {
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

/** This worktree's one run under way, or null where there is none. NoSuchRun where there are several. */
export const runUnderWay = Effect.fn("UnderWay.runUnderWay")(function*(root: string, repository: Repository) {
  const all = yield* started(root, repository)
  const living = all.filter(({ lives }) => lives)
  const [first, ...more] = living.length > 0 ? living : all.filter(({ open }) => open)
  if (first === undefined) return null
  if (more.length === 0) return first.run
  const runs = [first, ...more].map(({ run: { ref: { repoId, runId, targetKey } } }) => ({ repoId, runId, targetKey }))
  return yield* new NoSuchRun({ reason: { _tag: "SeveralUnderWay", runs } })
})
