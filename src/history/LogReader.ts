// LogReader: what readers of logs have to be told of one kind: how its events are shown, and what an audit looks at.
import type { Effect } from "effect"
import type { StreamKind, Tagged } from "../core/log/StreamKind.ts"
import type { Happening, Walked, WalkedLine } from "../core/log/Walk.ts"

/** A field of the folded state by its path, with its value before and after; null where there was or is none. */
export interface Change<V> {
  readonly field: string
  readonly before: V
  readonly after: V
}

/** How the logs of a kind are shown. */
export interface LogReader<E extends Tagged, S, V> {
  readonly kind: StreamKind<E, S>
  /** What people call the folded state. */
  readonly stateName: string
  /** What an event says beside its name, on one line. */
  readonly describe: (event: E) => string
  /** What an event changed. */
  readonly changes: (happening: Happening<E, S>) => ReadonlyArray<Change<V>>
  /** A value of a field, for people. */
  readonly valueText: (value: V) => string
}

/**
 * What the audit of one log looks at beside what is the same for every kind. `K` is what is known of the log so far,
 * `W` what can be said of it.
 */
export interface LogAuditor<E extends Tagged, S, K, W, Err, R> {
  readonly kind: StreamKind<E, S>
  /** What is known before the first line. */
  readonly begin: K
  /** Looks at further lines, and at what they name outside the log. */
  readonly examine: (
    known: K,
    lines: ReadonlyArray<WalkedLine<E, S>>
  ) => Effect.Effect<{ readonly known: K; readonly words: ReadonlyArray<W> }, Err, R>
  /** Looks at what the log has left open at its end. */
  readonly ended: (walked: Walked<S>) => Effect.Effect<ReadonlyArray<W>, Err, R>
}
