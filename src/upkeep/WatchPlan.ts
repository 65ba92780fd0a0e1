// WatchPlan: what somebody's driver does in the run of a plan, until that driver has ended. It only looks.
import { Clock, Effect, Option, Stream } from "effect"
import type { LiveView } from "../core/driven/LiveView.ts"
import { planRun, type PlanState } from "../core/implement/PlanRun.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { type DriverSeen, driverSeen, isAtWork } from "../runs/DriverSeen.ts"
import { gatherPlanView, unknown } from "../runs/GatherView.ts"
import { ladderOf } from "../runs/LadderOf.ts"
import { Signals } from "../services/Signals.ts"
import { tellPlan } from "./TellPlan.ts"
import { tellWatched } from "./TellWatched.ts"
import { watch, type Watched } from "./Watch.ts"

// Milliseconds between two looks.
const lookEvery = 500

/**
 * What watching the run of a plan shows: where it stands; while its code is converged, the run that does that, as
 * `watch` shows it; at last the header in which the plan's driver ended, or null if that was killed. Times in epoch
 * milliseconds.
 */
export type WatchedPlan =
  | { readonly _tag: "InPlan"; readonly at: number; readonly view: LiveView }
  | { readonly _tag: "OnLadder"; readonly at: number; readonly watched: Extract<Watched, { _tag: "Reviewers" }> }
  | { readonly _tag: "Ended"; readonly at: number; readonly outcome: string | null }

/** What a look finds; `Ladder` is a run that is watched until its driver has ended. */
type Found = WatchedPlan | { readonly _tag: "Ladder"; readonly run: RunRef }

/** How far has been looked, and the run of the ladder that was watched last. */
interface Looking {
  readonly seen: DriverSeen<PlanState> | null
  readonly ladder: string | null
}

/** Whether a plan has nothing under way, so that its code may be converged. */
const isIdle = ({ place, work }: LiveView): boolean =>
  work.length === 0 && !(place._tag === "InPlan" && place.cycle?.open === true)

const look = (run: RunRef) =>
  Effect.fnUntraced(function*({ ladder, seen: before }: Looking) {
    if (before !== null) yield* Effect.sleep(lookEvery)
    const seen = yield* driverSeen(planRun, run, before)
    const at = yield* Clock.currentTimeMillis
    const last = seen?.walked.state?.drivers.at(-1) ?? null
    const view = yield* gatherPlanView(run, seen, unknown, at)
    const shown: ReadonlyArray<Found> = view === null ? [] : [{ _tag: "InPlan", at, view }]
    if (seen === null || last === null || !(yield* isAtWork(run, last))) {
      // A driver that is gone may have told its end after its stream was read.
      const driver = (yield* driverSeen(planRun, run, seen))?.walked.state?.drivers.at(-1)
      return [[...shown, { _tag: "Ended", at, outcome: driver?.outcome ?? null } as const], Option.none()] as const
    }
    const next = view !== null && isIdle(view) ? yield* ladderOf(run, last) : null
    return next === null || next.runId === ladder
      ? [shown, Option.some<Looking>({ seen, ladder })] as const
      : [
        [...shown, { _tag: "Ladder", run: next } as const],
        Option.some<Looking>({ seen, ladder: next.runId })
      ] as const
  })

const beginning: Looking = { seen: null, ladder: null }

/** Watches the converging run but drops its end: the watch ends with the plan's driver. */
const onLadder = (run: RunRef) =>
  Stream.flatMap(
    watch(run),
    (watched): Stream.Stream<WatchedPlan> =>
      watched._tag === "Ended" ? Stream.empty : Stream.succeed({ _tag: "OnLadder", at: watched.at, watched })
  )

/**
 * The run of a plan, twice a second until its driver has ended; where its code is converged, that run in between. To
 * stop watching, end the stream.
 */
export const watchPlan = (run: RunRef) =>
  Stream.flatMap(
    Stream.paginate(beginning, look(run)),
    (found) => found._tag === "Ladder" ? onLadder(found.run) : Stream.succeed<WatchedPlan>(found)
  )

/** Watches the run of a plan until its driver has ended, or until a signal. */
export const watchPlanRun = Effect.fn("WatchPlan.watchPlanRun")(function*(run: RunRef, json: boolean) {
  const inPlan = yield* tellPlan(run, json)
  const ladder = yield* tellWatched(json)
  const told = (one: WatchedPlan) => one._tag === "OnLadder" ? ladder.told(one.watched) : inPlan.told(one)
  yield* Effect.raceFirst((yield* Signals).asked, Stream.runForEach(watchPlan(run), told))
})
