// WatchPlan: what somebody's driver does in the run of a plan, until that driver has ended. It only looks.
import { Clock, Effect, Option, Stream } from "effect"
import type { LiveView } from "../core/driven/LiveView.ts"
import { planRun, type PlanState } from "../core/implement/PlanRun.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { type DriverSeen, driverSeen } from "../runs/DriverSeen.ts"
import { gatherPlanView, unknown } from "../runs/GatherView.ts"
import { Signals } from "../services/Signals.ts"
import { tellPlan } from "./TellPlan.ts"
import { isAtWork } from "./WatchDriver.ts"

// Milliseconds between two looks.
const lookEvery = 500

/**
 * What watching shows of the run of a plan: where it stands, and then, as the last thing, the header in which its
 * driver ended, or null where it was killed. Times in epoch milliseconds.
 */
export type WatchedPlan =
  | { readonly _tag: "InPlan"; readonly at: number; readonly view: LiveView }
  | { readonly _tag: "Ended"; readonly at: number; readonly outcome: string | null }

const look = (run: RunRef) =>
  Effect.fnUntraced(function*(before: DriverSeen<PlanState> | null) {
    if (before !== null) yield* Effect.sleep(lookEvery)
    const seen = yield* driverSeen(planRun, run, before)
    const at = yield* Clock.currentTimeMillis
    const last = seen?.walked.state?.drivers.at(-1)
    const view = yield* gatherPlanView(run, seen, unknown, at)
    const shown: ReadonlyArray<WatchedPlan> = view === null ? [] : [{ _tag: "InPlan", at, view }]
    if (seen !== null && (yield* isAtWork(run, last ?? null))) return [shown, Option.some(seen)] as const
    const ended: WatchedPlan = { _tag: "Ended", at, outcome: last?.outcome ?? null }
    return [[...shown, ended], Option.none()] as const
  })

const beginning: DriverSeen<PlanState> | null = null

/** The run of a plan, twice a second until its driver has ended. To stop watching, end the stream. */
export const watchPlan = (run: RunRef) => Stream.paginate(beginning, look(run))

/** Watches the run of a plan until its driver has ended, or until a signal. */
export const watchPlanRun = Effect.fn("WatchPlan.watchPlanRun")(function*(run: RunRef, json: boolean) {
  const { told } = yield* tellPlan(run, json)
  yield* Effect.raceFirst((yield* Signals).asked, Stream.runForEach(watchPlan(run), told))
})
