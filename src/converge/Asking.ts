// Asking: asks the agent of a round, while somebody may end the call or answer the hand-off instead.
import { Effect, Fiber, Schedule } from "effect"
import { type AskedResult, askForResult } from "../agents/AskForResult.ts"
import { refreshDriver } from "../agents/Driver.ts"
import type { AgentTaskName } from "../core/converge/Tasks.ts"
import type { Outcome } from "../core/loop/Outcome.ts"
import { refresh } from "../runs/Run.ts"
import type { SignalName } from "../services/Signals.ts"
import { agentOrder } from "./AgentOrders.ts"
import { type Driving, on, over, roundOf, type Turn } from "./Driving.ts"
import { record } from "../driving/Work.ts"
import { agentFailedEnd, gitChangedEnd } from "../driving/Ends.ts"
import { asConverge } from "./Ends.ts"
import type { Standing } from "./Handoff.ts"
import { shown } from "./Showing.ts"
import { caughtUp, isSignal, stopWork, waitFor } from "../driving/Waiting.ts"

// Milliseconds between two looks at the run's log, in which somebody else may answer the hand-off.
const lookEvery = 1000

const aborted: Outcome = { _tag: "DoneAborted" }

/** The run once it has left the batch of the hand-off: somebody else has answered it. */
const answeredElsewhere = Effect.fnUntraced(function*({ run }: Driving, { handoff }: Standing) {
  const { manifest } = yield* refresh(run)
  const left = manifest.current_level !== handoff.level || manifest.batch_number !== handoff.batch
  return left ? "moved" as const : null
})

const untilMoved = (driving: Driving, standing: Standing) =>
  Effect.repeat(answeredElsewhere(driving, standing), {
    schedule: Schedule.spaced(lookEvery),
    until: (seen) => seen !== null
  }).pipe(Effect.as("moved" as const))

/** What ended the waiting: the work itself, a signal, or somebody else's answer. */
export type Ended<A> = A | SignalName | "moved"

/** Waits for work that goes on without this process. */
export const waitOn = <A, E, R>(
  driving: Driving,
  standing: Standing | null,
  signals: Fiber.Fiber<SignalName>,
  work: Effect.Effect<A, E, R>
) => {
  const asked = waitFor(signals, shown(driving, work))
  return standing === null ? asked : Effect.raceFirst(asked, untilMoved(driving, standing))
}

/**
 * Ends the call for a signal, or leaves the round that somebody else has answered. A person's signal ends the agent and
 * its tests; what the agent has changed stays. Null where the work itself has ended.
 */
export const interrupted = Effect.fn("Asking.interrupted")(function*<A>(before: Driving, ended: Ended<A>) {
  if (ended !== "moved" && !isSignal(ended)) return null
  // The stream as it was read before lacks what the work committed until it was interrupted.
  const driving = yield* caughtUp(before)
  if (ended === "SIGTERM" || ended === "SIGHUP") return over(driving, aborted)
  const stopped = yield* stopWork(driving, ended === "moved" ? "Superseded" : "Interrupt")
  if (ended === "SIGINT") return over(stopped, aborted)
  const last = stopped.driver.state.rounds.at(-1)
  const closed = last === undefined || last.closed !== null
    ? stopped
    : yield* record(stopped, [{ _tag: "RoundClosed", round: last.started.round, because: "AnsweredElsewhere" }])
  return on({ ...closed, standing: null })
})

/** What an agent came to: most of it stands in the stream, from which the next decision is made. */
const taken = (driving: Driving, result: AskedResult): Turn => {
  switch (result._tag) {
    case "Judged":
      return on(driving)
    case "Halted":
      return over(driving, agentFailedEnd(asConverge(driving), result))
    case "GitStateChanged":
      return over(driving, gitChangedEnd(asConverge(driving), result.what))
    case "Stopped":
      return result.cause === "Superseded" ? on({ ...driving, standing: null }) : over(driving, aborted)
  }
}

/** Asks an agent of a round to its end. */
export const askAgent = Effect.fn("Asking.askAgent")(
  function*(
    driving: Driving,
    standing: Standing,
    round: number,
    name: AgentTaskName,
    signals: Fiber.Fiber<SignalName>
  ) {
    const order = yield* agentOrder(driving, standing, yield* roundOf(driving, round), name)
    const ended = yield* waitOn(driving, standing, signals, askForResult(driving.driver, order))
    const turn = yield* interrupted(driving, ended)
    if (turn !== null || typeof ended === "string") return turn ?? on(driving)
    // A stop is recorded before it ends the agent. If one is recorded, the agent's own end says nothing.
    const driver = yield* refreshDriver(ended.driver)
    return driver.state.stopAsked ? on({ ...driving, driver }) : taken({ ...driving, driver }, ended.result)
  }
)
