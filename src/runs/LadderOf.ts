// LadderOf: the run in which the driver of a plan converges the plan's code.
import { Effect } from "effect"
import { convergeRun } from "../core/converge/ConvergeRun.ts"
import type { DriverState } from "../core/driven/DrivenState.ts"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { Drivers } from "../services/Drivers.ts"
import { RunStore } from "../services/RunStore.ts"
import { driverSeen } from "./DriverSeen.ts"

/** Whether a driver that is gone was killed while it drove a run. Another process may have its number by now. */
const wasKilledIn = Effect.fnUntraced(function*(run: RunRef, { pid, since }: DriverState) {
  const last = (yield* driverSeen(convergeRun, run))?.walked.state?.drivers.at(-1)
  return last !== undefined && last.pid === pid && last.since >= since && last.outcome === null
})

/**
 * The run of the repository of a plan's run that the plan's driver converges now, or was killed in; null for none. A
 * lock says the former, and the log of that run the latter.
 */
export const ladderOf = Effect.fn("LadderOf.ladderOf")(function*({ repoId, root }: RunRef, driver: DriverState) {
  const store = yield* RunStore
  const { present } = yield* Drivers
  const runs = (yield* store.list(root, repoId)).filter((run) => !isPlanRun(run))
  const targets = new Map(runs.map(({ targetKey }) => [targetKey, { root, repoId, targetKey }]))
  for (const target of targets.values()) {
    const pid = yield* present(target)
    if (pid !== null && pid !== driver.pid) continue
    const latest = yield* store.latest(target)
    if (latest._tag !== "Run") continue
    if (pid !== null || (yield* wasKilledIn(latest.run, driver))) return latest.run
  }
  return null
})
