// PlansUnderWay: the runs of plans that are at work in a worktree: somebody drives them, or an agent or test runs.
import { Effect } from "effect"
import type { DriverState } from "../core/driven/DrivenState.ts"
import { isPlanRun } from "../core/implement/PlanLog.ts"
import { planRun } from "../core/implement/PlanRun.ts"
import type { RunRef } from "../core/run/Refs.ts"
import type { Repository } from "../services/Git.ts"
import { RunStore } from "../services/RunStore.ts"
import { driverSeen, isWorkedOn } from "./DriverSeen.ts"
import { ownerOf } from "./Owner.ts"

/** A plan run at work, with its last driver; null where there was none yet. */
export interface PlanUnderWay {
  readonly ref: RunRef
  readonly driver: DriverState | null
}

/** This worktree's plan runs at work. One that cannot be read is passed over: only who names it gets an error. */
export const plansUnderWay = Effect.fn("PlansUnderWay.plansUnderWay")(function*(root: string, repository: Repository) {
  const found: Array<PlanUnderWay> = []
  for (const ref of (yield* (yield* RunStore).list(root, repository.id)).filter(isPlanRun)) {
    const owner = yield* ownerOf(ref)
    if (owner._tag !== "Worktree" || owner.path !== repository.root) continue
    const state = (yield* driverSeen(planRun, ref))?.walked.state ?? null
    if (state !== null && (yield* isWorkedOn(ref, state))) found.push({ ref, driver: state.drivers.at(-1) ?? null })
  }
  return found
})
