// Event: the facts of whoever drives a run: which agents worked on it, and what they were allowed.
// What a person or a step does stands in the log of the run itself. Released events are never renamed or removed.
import { Schema } from "effect"
import { taskEvents } from "../agent/TaskEvent.ts"

/** The union of facts. Documented one by one in docs/events.md. */
export const ConvergeEvent = Schema.TaggedUnion({
  /** The first line: the run that is driven. */
  ConvergeStarted: { runId: Schema.String, nonce: Schema.String },
  ...taskEvents
})
export type ConvergeEvent = typeof ConvergeEvent.Type
