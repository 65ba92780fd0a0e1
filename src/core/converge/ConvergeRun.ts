// ConvergeRun: the stream of a run's driver, as one kind of log among others. It lies beside the run's log.
import type { StreamKind } from "../log/StreamKind.ts"
import { begun, type ConvergeState, evolveConverge } from "./ConvergeState.ts"
import { ConvergeEvent } from "./Event.ts"

export type { ConvergeState } from "./ConvergeState.ts"

/** The kind of a driver's stream. */
export const convergeRun: StreamKind<ConvergeEvent, ConvergeState> = {
  kind: "converge",
  event: ConvergeEvent,
  genesis: { event: "ConvergeStarted", binds: ["runId", "nonce"] },
  fold: {
    initial: (event) => event._tag === "ConvergeStarted" ? begun(event.runId) : null,
    evolve: (state, event, { at }) => evolveConverge(state, event, Date.parse(at))
  }
}
