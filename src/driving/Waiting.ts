// Waiting: waits for work that goes on without this process, while a signal or somebody else may end the waiting.
import { Effect, Fiber } from "effect"
import { refreshDriver } from "../agents/Driver.ts"
import { stopAgents } from "../agents/StopAgents.ts"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import type { SignalName } from "../services/Signals.ts"
import { stopTests } from "./TestRuns.ts"
import type { Work } from "./Work.ts"

/** What ended the waiting: the work itself, or a signal. */
export const waitFor = <A, E, R>(signals: Fiber.Fiber<SignalName>, work: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(work, Fiber.join(signals))

/** Whether a signal ended the waiting. */
export const isSignal = (ended: unknown): ended is SignalName =>
  ended === "SIGINT" || ended === "SIGTERM" || ended === "SIGHUP"

/** The work with all that was committed while it was waited for. */
export const caughtUp = Effect.fn("Waiting.caughtUp")(
  function*<S extends DrivenState, X extends Tagged, W>(work: W & Work<S, X>) {
    return { ...work, driver: yield* refreshDriver(work.driver) }
  }
)

/** Ends the agents and the tests of a run; what they have changed stays. */
export const stopWork = Effect.fn("Waiting.stopWork")(
  function*<S extends DrivenState, X extends Tagged, W>(work: W & Work<S, X>, cause: "Interrupt" | "Superseded") {
    return yield* stopTests({ ...work, driver: yield* stopAgents(work.driver, cause) }, cause)
  }
)
