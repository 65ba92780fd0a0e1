// Runs: plan runs at work, and their review runs.
import { Effect } from "effect"
import type { Repository } from "../../code/Git.ts"
import type { RunRef } from "../../log/Refs.ts"
import { isPlanRun } from "../../run/RunKind.ts"
import { RunStore } from "../../run/RunStore.ts"
import { listIn } from "../../step/Selection.ts"
import { newestIn, ownerOf } from "../../run/Owner.ts"
import { Drivers, isAtWork, isWorkedOn } from "../DriverLock.ts"
import { readOn } from "../Spending.ts"
import type { DriverState } from "../State.ts"
import { convergeRun } from "../converge/State.ts"
import { planRun } from "./State.ts"

/** A plan run on which a driver, an agent or a test works, with its last driver; null where there was none yet. */
interface PlanUnderWay {
  readonly ref: RunRef
  readonly driver: DriverState | null
}

/** This worktree's plan runs at work. A run that cannot be read is skipped; a caller that names it gets an error. */
export const plansUnderWay = Effect.fn("Runs.plansUnderWay")(function*(
  roots: ReadonlyArray<string>,
  repository: Repository
) {
  const found: Array<PlanUnderWay> = []
  for (const ref of (yield* listIn(roots, repository.id)).filter(isPlanRun)) {
    const owner = yield* ownerOf(ref)
    if (owner._tag !== "Worktree" || owner.path !== repository.root) continue
    const state = (yield* readOn(planRun, ref))?.walked.state ?? null
    if (state !== null && (yield* isWorkedOn(ref, state))) found.push({ ref, driver: state.drivers.at(-1) ?? null })
  }
  return found
})

/** Whether a driver was killed while it drove a run. A later process may have the same number. */
const wasKilledIn = Effect.fnUntraced(function*(run: RunRef, { pid, since }: DriverState) {
  const last = (yield* readOn(convergeRun, run))?.walked.state?.drivers.at(-1)
  return last !== undefined && last.pid === pid && last.since >= since && last.outcome === null
})

/**
 * The run of a plan run's worktree that the plan's driver converges now (its lock is held), or was killed in (its log
 * says so); null if there is no such run.
 */
export const ladderOf = Effect.fn("Runs.ladderOf")(function*(plan: RunRef, driver: DriverState) {
  const { repoId, root } = plan
  const { present } = yield* Drivers
  const owner = yield* ownerOf(plan)
  if (owner._tag !== "Worktree") return null
  // If the driver is gone, a later process may have the same number.
  const isDriving = yield* isAtWork(plan, driver)
  const runs = (yield* (yield* RunStore).list(root, repoId)).filter((run) => !isPlanRun(run))
  const targets = new Map(runs.map(({ targetKey }) => [targetKey, { root, repoId, targetKey }]))
  for (const target of targets.values()) {
    const drives = isDriving && (yield* present(target)).includes(driver.pid)
    const newest = yield* newestIn(target, owner.path)
    if (newest !== null && (drives || (yield* wasKilledIn(newest, driver)))) return newest
  }
  return null
})
