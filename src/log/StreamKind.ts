// StreamKind: what a kind of log is, and the positions and lines that all kinds share.
import { Schema } from "effect"

/** The position a decision was made from: the last committed line's number and hash; seq 0 before any line. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** The position before any line. */
export const beginning: Head = { seq: 0, hash: "" }

/** Whether two positions follow the same line. */
export const sameHead = (a: Head, b: Head): boolean => a.seq === b.seq && a.hash === b.hash

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The union of the log's own events. They change no folded state, so no kind has to name them. */
export const LogEvent = Schema.TaggedUnion({
  TailRepaired: { offset: Count, bytes: Count, kept: Schema.String }
})
export type LogEvent = typeof LogEvent.Type

/** What a line holds: events of the log's kind, and events of the log itself. */
export type LoggedEvent<E> = E | LogEvent

/** Whether an event is one of the log itself. No kind may have an event of the same name. */
export const isLogEvent = (event: { readonly _tag: string }): event is LogEvent => event._tag === "TailRepaired"

export interface TaggedEvent {
  readonly _tag: string
}

/** The place of a line. `at` is information; order is `seq`. */
export interface Place {
  readonly seq: number
  readonly at: string
}

/** One committed line: a command's events, with its place in the log. */
export interface Commit<E> extends Place {
  readonly events: ReadonlyArray<LoggedEvent<E>>
}

/** A kind of log. The codec, the stores, the walk, replay and audit take it as a parameter. */
export interface StreamKind<E extends TaggedEvent, S> {
  /** Its name, in lower case with hyphens; stores name the log's files after it, so it never changes. */
  readonly kind: string
  /** The union of its events. A released event is never renamed or removed, and gets optional fields only. */
  readonly event: Schema.Codec<E, unknown>
  /** The event that line 1 must hold, and its fields that `prev` of line 1 binds the log to. One should be random. */
  readonly genesis: { readonly event: E["_tag"]; readonly binds: ReadonlyArray<string> }
  /** Events that are written as ignorable: programs that do not know them yet ignore them. */
  readonly ignorable?: ReadonlyArray<E["_tag"]>
  readonly fold: {
    /** The state that the genesis event begins; null for any other event. */
    readonly initial: (event: E) => S | null
    /** The state after a further event. */
    readonly evolve: (state: S, event: E, line: Place) => S
  }
}
