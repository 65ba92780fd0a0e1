// StreamKind: what one kind of log is: its name, its events, the event that begins it, and what its events fold to.
import type { Schema } from "effect"
import type { Logged } from "./LogEvent.ts"

/** An event of any kind. */
export interface Tagged {
  readonly _tag: string
}

/** Where a line stands. `at` is information; order is `seq`. */
export interface Place {
  readonly seq: number
  readonly at: string
}

/** One committed line: a command's events, with its place in the log. */
export interface Commit<E> extends Place {
  readonly events: ReadonlyArray<Logged<E>>
}

/**
 * A kind of log. Adding one is defining one such value: the codec, the stores, the walk, replay and audit take it as a
 * parameter.
 */
export interface StreamKind<E extends Tagged, S> {
  /** Its name, in lower case with hyphens; stores name the log's files by it, so it never changes. */
  readonly kind: string
  /**
   * The union of its events. An event is never renamed or removed once it was released; fields are only added,
   * optional.
   */
  readonly event: Schema.Codec<E, unknown>
  /** The event that line 1 must hold, and its fields that `prev` of line 1 binds the log to. One should be random. */
  readonly genesis: { readonly event: E["_tag"]; readonly binds: ReadonlyArray<string> }
  /** Events that are written as ignorable: programs that do not know them yet pass over them. */
  readonly ignorable?: ReadonlyArray<E["_tag"]>
  readonly fold: {
    /** The state that the genesis event begins; null for any other event. */
    readonly initial: (event: E) => S | null
    /** The state after a further event. */
    readonly evolve: (state: S, event: E, line: Place) => S
  }
}
