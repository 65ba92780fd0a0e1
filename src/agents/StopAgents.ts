// StopAgents: ends the agents of a run that are under way. What had ended by itself before still counts.
import { Effect, Option, Stream } from "effect"
import type { DrivenState } from "../core/driven/DrivenState.ts"
import type { Tagged } from "../core/log/StreamKind.ts"
import { type AgentState, underWay } from "../core/agent/AgentsState.ts"
import { defaultLimits } from "../core/agent/Task.ts"
import type { TaskEventOf } from "../core/agent/TaskEvent.ts"
import { keepLong } from "../runs/KeepLong.ts"
import { Agent } from "../services/Agent.ts"
import { lastAttempt } from "./AgentOrder.ts"
import { commitDriver, type Driver, transactDriver } from "./Driver.ts"

type Cause = TaskEventOf<"AgentStopped">["cause"]

/** The event that ends an agent: it finished before it was stopped, or it was stopped. */
const ended = Effect.fnUntraced(
  function*<S extends DrivenState, X extends Tagged>(driver: Driver<S, X>, one: AgentState, cause: Cause) {
    const { agent, attempt } = one.started
    const stopped = { _tag: "AgentStopped", agent, attempt, cause } satisfies TaskEventOf<"AgentStopped">
    if (one.standing._tag !== "Running") return stopped
    const last = yield* Stream.runLast((yield* Agent).follow(lastAttempt(driver.ref, one), defaultLimits))
    if (Option.isNone(last) || last.value._tag !== "Ended") return stopped
    const { ending, threadId, transcript, usage } = last.value.ended
    if (ending._tag !== "Done" && ending._tag !== "Reported") return stopped
    const message = yield* keepLong(driver.ref, ending.message)
    const told = { agent, attempt, message, threadId, usage, transcript }
    return { _tag: "AgentFinished", ...told, ending: ending._tag } satisfies TaskEventOf<"AgentFinished">
  }
)

/** Ends every agent of the run that runs or waits, whoever started it, and records it. Afterwards none is under way. */
export const stopAgents = Effect.fn("StopAgents.stopAgents")(<S extends DrivenState, X extends Tagged>(
  driver: Driver<S, X>,
  cause: Cause
) =>
  transactDriver(
    driver,
    Effect.fnUntraced(function*(now: Driver<S, X>) {
      const all = underWay(now.state.agents)
      if (all.length === 0) return now
      yield* (yield* Agent).stop(all.map((one) => lastAttempt(now.ref, one)))
      return yield* commitDriver(now, yield* Effect.forEach(all, (one) => ended(now, one, cause)))
    })
  )
)
