// LogEvent: the events of the log itself. The store writes them into a log of any kind, and every reader knows them.
import { Schema } from "effect"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The union of the log's own events. They change no folded state, so no kind has to name them. */
export const LogEvent = Schema.TaggedUnion({
  TailRepaired: { offset: Count, bytes: Count, kept: Schema.String }
})
export type LogEvent = typeof LogEvent.Type

/** What a line holds: events of the log's kind, and events of the log itself. */
export type Logged<E> = E | LogEvent

/** Whether an event is one of the log itself. No kind may have an event of the same name. */
export const isLogEvent = (event: { readonly _tag: string }): event is LogEvent => event._tag === "TailRepaired"
