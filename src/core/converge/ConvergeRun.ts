// ConvergeRun: the stream of a run's driver, as one kind of log among others. It lies beside the run's log.
import { type AgentsState, evolveAgents, noAgents } from "../agent/AgentsState.ts"
import type { StreamKind } from "../log/StreamKind.ts"
import { ConvergeEvent } from "./Event.ts"

/** The folded state of a driver's stream. */
export interface ConvergeState {
  readonly runId: string
  readonly agents: AgentsState
}

/** The kind of a driver's stream. */
export const convergeRun: StreamKind<ConvergeEvent, ConvergeState> = {
  kind: "converge",
  event: ConvergeEvent,
  genesis: { event: "ConvergeStarted", binds: ["runId", "nonce"] },
  fold: {
    initial: (event) => event._tag === "ConvergeStarted" ? { runId: event.runId, agents: noAgents } : null,
    evolve: (state, event, { at }) =>
      event._tag === "ConvergeStarted"
        ? state
        : { ...state, agents: evolveAgents(state.agents, event, Date.parse(at)) }
  }
}
