// Event: the facts of whoever drives a run: which agents worked on it, and what they were allowed.
// The run's own log tells what people and steps do. A released event is never renamed or removed.
import { Schema } from "effect"
import { taskEvents } from "../agent/TaskEvent.ts"

/** The union of facts. Documented one by one in docs/events.md. */
export const ConvergeEvent = Schema.TaggedUnion({
  /** The first line: the run that is driven. */
  ConvergeStarted: { runId: Schema.String, nonce: Schema.String },
  ...taskEvents
})
export type ConvergeEvent = typeof ConvergeEvent.Type
