// LadderOf: the run in which the driver of a plan converges the plan's code.
import { Effect } from "effect"
import { convergeRun } from "../core/converge/ConvergeRun.ts"
import type { DriverState } from "../core/driven/DrivenState.ts"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { Drivers } from "../services/Drivers.ts"
import { RunStore } from "../services/RunStore.ts"
import { driverSeen, isAtWork } from "./DriverSeen.ts"
import { newestIn, ownerOf } from "./Owner.ts"

/** Whether a driver that is gone was killed while it drove a run. Another process may have its number by now. */
const wasKilledIn = Effect.fnUntraced(function*(run: RunRef, { pid, since }: DriverState) {
  const last = (yield* driverSeen(convergeRun, run))?.walked.state?.drivers.at(-1)
  return last !== undefined && last.pid === pid && last.since >= since && last.outcome === null
})

/**
 * The run of a plan run's worktree that the plan's driver converges now, or was killed in; null for none. A lock says
 * the former, and the log of that run the latter.
 */
export const ladderOf = Effect.fn("LadderOf.ladderOf")(function*(plan: RunRef, driver: DriverState) {
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
