// PlanRun: the log of a plan run, as one kind of log among others. It is the only log of its run.
import type { StreamKind } from "../log/StreamKind.ts"
import { PlanEvent } from "./Event.ts"
import { planLog } from "./PlanLog.ts"
import { begun, evolvePlan, type PlanState } from "./PlanState.ts"

export type { PlanState } from "./PlanState.ts"

/** The kind of a plan run's log. */
export const planRun: StreamKind<PlanEvent, PlanState> = {
  ...planLog,
  event: PlanEvent,
  fold: {
    initial: (event) => event._tag === "PlanStarted" ? begun(event) : null,
    evolve: (state, event, { at }) => evolvePlan(state, event, Date.parse(at))
  }
}

/** Whether the work of a run is over: a further task is another run's. */
export const isOver = ({ cycles, drivers }: PlanState): boolean =>
  drivers.at(-1)?.outcome?.startsWith("Done") === true && drivers.at(-1)?.outcome !== "DoneAborted" &&
  cycles.at(-1)?.closed !== null
