// LadderOf: the run in which the driver of a plan converges the plan's code.
import { Effect } from "effect"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { Drivers } from "../services/Drivers.ts"
import { RunStore } from "../services/RunStore.ts"

/** The run of the repository of a plan's run that the process `pid` converges now; null for none. */
export const ladderOf = Effect.fn("LadderOf.ladderOf")(function*({ repoId, root }: RunRef, pid: number) {
  const store = yield* RunStore
  const { present } = yield* Drivers
  const runs = (yield* store.list(root, repoId)).filter((run) => !isPlanRun(run))
  const targets = new Map(runs.map(({ targetKey }) => [targetKey, { root, repoId, targetKey }]))
  for (const target of targets.values()) {
    if ((yield* present(target)) !== pid) continue
    const latest = yield* store.latest(target)
    if (latest._tag === "Run") return latest.run
  }
  return null
})
