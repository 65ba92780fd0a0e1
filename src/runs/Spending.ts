// Spending: the tokens that a run has used, in its reviews and by the agents that its driver gave work to.
// The stream of the driver lies beside the run's log. Most runs have none.
import { Effect, Stream } from "effect"
import { usageOf } from "../core/agent/AgentsState.ts"
import { type ConvergeState, convergeRun } from "../core/converge/ConvergeRun.ts"
import type { Logged } from "../core/log/LogEvent.ts"
import type { Event } from "../core/run/Event.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { briefUsage, isNoUsage, noUsage, type Usage } from "../core/run/Usage.ts"
import { recovered } from "../services/Note.ts"
import { walkLog, type WalkPlace } from "./WalkLog.ts"

/** What a run has used. Nothing is known of what no log tells. */
export interface Spending {
  readonly reviews: Usage
  readonly agents: Usage
}

/** The tokens that an event of a review run adds. */
export const usedBy = (event: Logged<Event> | null): Usage =>
  event?._tag === "ReviewFinished" || event?._tag === "ReviewFailed" ? event.usage ?? noUsage : noUsage

/** How far the stream of a run's driver has been read; null where there is none. */
export type DriverPlace = WalkPlace<ConvergeState> | null

/**
 * Reads the stream of a run's driver, on from where an earlier look ended. Never fails: where it is damaged or cannot
 * be read, what comes before counts.
 */
export const driverOf = Effect.fn("Spending.driverOf")(function*(run: RunRef, before: DriverPlace = null) {
  let place: DriverPlace = before
  yield* walkLog(convergeRun, run, before === null ? {} : { from: before }).pipe(
    Stream.runForEachArray((steps) =>
      Effect.sync(() => {
        const last = steps.at(-1)
        if (last === undefined) return
        const { after, line } = last._tag === "Line" ? last : { after: last.place.walked, line: last.place.head }
        place = { head: { seq: line.seq, hash: line.hash }, walked: after }
      })
    ),
    Effect.catchTag("LogMissing", () => Effect.void),
    Effect.tapError(recovered("of the driver's stream, what can be read counts")),
    Effect.ignore
  )
  return place
})

/** What the agents of a driver have used. */
export const usedByAgents = (place: DriverPlace): Usage => {
  const state = place?.walked.state ?? null
  return state === null ? noUsage : usageOf(state.agents)
}

/** As a field of what is told of a run: no field where no token is known. */
export const spent = (spending: Spending): { readonly usage?: Spending } =>
  isNoUsage(spending.reviews) && isNoUsage(spending.agents) ? {} : { usage: spending }

/** Both sums in few words: `1.2M in, 34k out (+ 300k in, 12k out by agents)`. */
export const spendingText = ({ agents, reviews }: Spending): string => {
  if (isNoUsage(agents)) return briefUsage(reviews)
  const byAgents = `${briefUsage(agents)} by agents`
  return isNoUsage(reviews) ? byAgents : `${briefUsage(reviews)} (+ ${byAgents})`
}
