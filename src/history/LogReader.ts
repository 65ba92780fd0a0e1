// LogReader: what replay and audit need to know of one kind of log: how to show its events, and what to check.
import type { Effect } from "effect"
import type { Logged } from "../core/log/LogEvent.ts"
import type { StreamKind, Tagged } from "../core/log/StreamKind.ts"
import type { Happening, Walked, WalkedLine } from "../core/log/Walk.ts"
import type { Usage } from "../core/run/Usage.ts"

/** A field of the folded state by its path, with its value before and after; null where there was or is none. */
export interface Change<V> {
  readonly field: string
  readonly before: V
  readonly after: V
}

/** How the logs of a kind are shown. */
export interface LogReader<E extends Tagged, S, V> {
  readonly kind: StreamKind<E, S>
  /** For a log beside the run's own: the letter that its line numbers begin with. */
  readonly mark?: string
  /** The tokens that an event adds, where they add up. */
  readonly used?: (event: Logged<E>) => Usage
  /** The name of the folded state in texts for people. */
  readonly stateName: string
  /** What an event says beside its name, on one line. */
  readonly describe: (event: E) => string
  /** What an event changed. */
  readonly changes: (happening: Happening<E, S>) => ReadonlyArray<Change<V>>
  /** A value of a field, for people. */
  readonly valueText: (value: V) => string
}

/**
 * What an audit checks in this kind of log, besides the checks for every log. `K` is what is known after some lines,
 * `W` a result of the audit.
 */
export interface LogAuditor<E extends Tagged, S, K, W, Err, R> {
  readonly kind: StreamKind<E, S>
  /** What is known before the first line. */
  readonly begin: K
  /** Checks further lines, and the files that they name. */
  readonly examine: (
    known: K,
    lines: ReadonlyArray<WalkedLine<E, S>>
  ) => Effect.Effect<{ readonly known: K; readonly words: ReadonlyArray<W> }, Err, R>
  /** Checks what is still open at the end of the log. */
  readonly ended: (walked: Walked<S>) => Effect.Effect<ReadonlyArray<W>, Err, R>
}
