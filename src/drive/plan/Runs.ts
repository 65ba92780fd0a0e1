// Runs: plan runs at work, and their review runs.
import { Effect } from "effect"
import type { Repository } from "../../code/Git.ts"
import type { RunRef } from "../../log/Refs.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import { RunStore } from "../../run/RunStore.ts"
import { listIn } from "../../step/Selection.ts"
import { newestIn, ownerOf } from "../../run/Owner.ts"
import { Drivers } from "../DriverLock.ts"
import { driverSeen, isAtWork, isWorkedOn } from "../DriverWatch.ts"
import type { DriverState } from "../State.ts"
import { convergeRun } from "../converge/State.ts"
import { planRun } from "./State.ts"

// The runs of plans that are at work in a worktree: somebody drives them, or an agent or test runs.

/** A plan run at work, with its last driver; null where there was none yet. */
interface PlanUnderWay {
  readonly ref: RunRef
  readonly driver: DriverState | null
}

/** This worktree's plan runs at work. One that cannot be read is passed over: only who names it gets an error. */
export const plansUnderWay = Effect.fn("Runs.plansUnderWay")(function*(
  roots: ReadonlyArray<string>,
  repository: Repository
) {
  const found: Array<PlanUnderWay> = []
  for (const ref of (yield* listIn(roots, repository.id)).filter(isPlanRun)) {
    const owner = yield* ownerOf(ref)
    if (owner._tag !== "Worktree" || owner.path !== repository.root) continue
    const state = (yield* driverSeen(planRun, ref))?.walked.state ?? null
    if (state !== null && (yield* isWorkedOn(ref, state))) found.push({ ref, driver: state.drivers.at(-1) ?? null })
  }
  return found
})

// The run in which the driver of a plan converges the plan's code.

/** Whether a driver that is gone was killed while it drove a run. Another process may have its number by now. */
const wasKilledIn = Effect.fnUntraced(function*(run: RunRef, { pid, since }: DriverState) {
  const last = (yield* driverSeen(convergeRun, run))?.walked.state?.drivers.at(-1)
  return last !== undefined && last.pid === pid && last.since >= since && last.outcome === null
})

/**
 * The run of a plan run's worktree that the plan's driver converges now, or was killed in; null for none. A lock says
 * the former, and the log of that run the latter.
 */
export const ladderOf = Effect.fn("Runs.ladderOf")(function*(plan: RunRef, driver: DriverState) {
  const { repoId, root } = plan
  const { present } = yield* Drivers
  const owner = yield* ownerOf(plan)
  if (owner._tag !== "Worktree") return null
  // Else another process may have the driver's number by now.
  const isDriving = yield* isAtWork(plan, driver)
  const runs = (yield* (yield* RunStore).list(root, repoId)).filter((run) => !isPlanRun(run))
  const targets = new Map(runs.map(({ targetKey }) => [targetKey, { root, repoId, targetKey }]))
  for (const target of targets.values()) {
    const pid = yield* present(target)
    if (pid !== null && !(isDriving && pid === driver.pid)) continue
    const newest = yield* newestIn(target, owner.path)
    if (newest !== null && (pid !== null || (yield* wasKilledIn(newest, driver)))) return newest
  }
  return null
})
