// Spending: the tokens that a run has used, in its reviews and by the agents that its driver gave work to.
// The stream of the driver lies beside the run's log. Most runs have none.
import { Effect, Schema, Stream } from "effect"
import { usageOf } from "../agent/State.ts"
import { tokensOf } from "../agent/PromptBudget.ts"
import { type ConvergeState, convergeRun } from "./converge/State.ts"
import type { LoggedEvent, StreamKind, TaggedEvent } from "../log/StreamKind.ts"
import type { Event } from "../run/Event.ts"
import type { RunRef } from "../log/Refs.ts"
import { reviewRun, type WalkedRun } from "../run/ReviewRun.ts"
import { briefUsage, isNoUsage, noUsage, plusUsage, Usage } from "../run/Usage.ts"
import { recovered } from "../platform/Note.ts"
import { placeAfter, walkLog, type WalkPlace, type WalkStep } from "../log/Walk.ts"

/** The tokens that a run has used, as far as its logs say. */
export const Spending = Schema.Struct({ reviews: Usage, agents: Usage })
export type Spending = typeof Spending.Type

/** The tokens that an event of a review run adds. */
export const usedBy = (event: LoggedEvent<Event> | null): Usage =>
  event?._tag === "ReviewFinished" || event?._tag === "ReviewFailed" ? event.usage ?? noUsage : noUsage

/** How far a driver's stream was read; null if the run has none. */
export type DriverPlace = WalkPlace<ConvergeState> | null

/**
 * Reads a log on from where an earlier look ended, and returns how far it came; null if the log is missing. Never fails:
 * of a damaged or unreadable log, the part before the damage counts.
 */
export const readOn = Effect.fn("Spending.readOn")(function*<E extends TaggedEvent, S>(
  kind: StreamKind<E, S>,
  run: RunRef,
  before: WalkPlace<S> | null = null,
  take: (step: WalkStep<E, S>) => void = () => {}
) {
  let place = before
  yield* walkLog(kind, run, before === null ? {} : { from: before }).pipe(
    Stream.runForEachArray((steps) =>
      Effect.sync(() => {
        for (const step of steps) {
          take(step)
          place = placeAfter(step)
        }
      })
    ),
    Effect.catchTag("LogMissing", () => Effect.void),
    Effect.tapError(recovered("of the log, what can be read counts")),
    Effect.ignore
  )
  return place
})

/** Reads the stream of a review run's driver, as `readOn`. */
export const driverOf = (run: RunRef, before: DriverPlace = null) => readOn(convergeRun, run, before)

/** What a run has used so far, and how far its logs were read for that. */
export interface Spent {
  readonly spending: Spending
  readonly log: WalkPlace<WalkedRun> | null
  readonly driver: DriverPlace
}

/** Before the first look. */
export const unspent: Spent = { spending: { reviews: noUsage, agents: noUsage }, log: null, driver: null }

/** Reads on what a run has used. Never fails, as `driverOf`. */
export const spendingOf = Effect.fn("Spending.spendingOf")(function*(run: RunRef, before: Spent = unspent) {
  let { reviews } = before.spending
  const log = yield* readOn(reviewRun, run, before.log, (step) => {
    if (step._tag === "Line") { for (const { event } of step.happenings) reviews = plusUsage(reviews, usedBy(event)) }
  })
  const driver = yield* driverOf(run, before.driver)
  return { spending: { reviews, agents: usedByAgents(driver) }, log, driver } satisfies Spent
})

/** What the agents of a driver have used. */
export const usedByAgents = (place: DriverPlace): Usage => {
  const state = place?.walked.state ?? null
  return state === null ? noUsage : usageOf(state.agents)
}

/** How many tokens were used by all together. */
export const allTokens = ({ agents, reviews }: Spending): number => tokensOf(agents) + tokensOf(reviews)

/** What a run has used; null if no token is known. */
export const spent = (spending: Spending): Spending | null =>
  isNoUsage(spending.reviews) && isNoUsage(spending.agents) ? null : spending

/** Both sums in few words: `1.2M in, 34k out (+ 300k in, 12k out by agents)`. */
export const spendingText = ({ agents, reviews }: Spending): string => {
  if (isNoUsage(agents)) return briefUsage(reviews)
  const byAgents = `${briefUsage(agents)} by agents`
  return isNoUsage(reviews) ? byAgents : `${briefUsage(reviews)} (+ ${byAgents})`
}
