// LogReader: how a log is shown and checked, and the findings of an audit.
import type { Effect } from "effect"
import type { LoggedEvent, StreamKind, TaggedEvent } from "../log/StreamKind.ts"
import type { WalkedEvent, WalkState, WalkedLine } from "../log/Walk.ts"
import type { Usage } from "../run/Usage.ts"

// The faults that an audit can find in a run, and its notes.
// A run with a finding is not sound; a note does not matter for that.

/** The kinds of findings that the log of any kind can give. */
export type LogFindingKind = "damage" | "rewound" | "head" | "fact" | "torn" | "time"

/** The kinds of findings of a review run. */
export const findingKinds = [
  "damage",
  "rewound",
  "head",
  "fact",
  "torn",
  "time",
  "run",
  "transition",
  "transcript",
  "journal",
  "verdict",
  "unended",
  "tree-changed",
  "proof",
  "driver",
  "attestation"
] as const
export type FindingKind = typeof findingKinds[number]

/** One thing that is wrong, with the line of the log where it was found; 0 if it concerns the whole log. */
export interface Finding<Kind extends string = FindingKind> {
  readonly kind: Kind
  readonly line: number
  readonly text: string
}

/** One thing worth knowing. */
export interface Note {
  readonly line: number
  readonly text: string
}

/** A finding as it is passed on. */
export interface Found<Kind extends string = FindingKind> {
  readonly _tag: "Found"
  readonly finding: Finding<Kind>
}

/** A note as it is passed on. */
export interface Noted {
  readonly _tag: "Noted"
  readonly note: Note
}

/** Makes a finding. */
export const found = <Kind extends string>(kind: Kind, line: number, text: string): Found<Kind> => ({
  _tag: "Found",
  finding: { kind, line, text }
})

/** Makes a note. */
export const noted = (line: number, text: string): Noted => ({ _tag: "Noted", note: { line, text } })

// What replay and audit need for one kind of log: how to show its events, and what to check.

/** A field of the folded state by its path, with its value before and after; null for no value. */
export interface Change<V> {
  readonly field: string
  readonly before: V
  readonly after: V
}

/** How the logs of a kind are shown. */
export interface LogReader<E extends TaggedEvent, S, V> {
  readonly kind: StreamKind<E, S>
  /** For a log beside the run's own: the letter before its line numbers. */
  readonly mark?: string
  /** The tokens that an event adds, if they can be added up. */
  readonly used?: (event: LoggedEvent<E>) => Usage
  /** The name of the folded state for people. */
  readonly stateName: string
  /** The details of an event, on one line. */
  readonly describe: (event: E) => string
  /** The changes of an event. */
  readonly changes: (happening: WalkedEvent<E, S>) => ReadonlyArray<Change<V>>
  /** A value of a field, for people. */
  readonly valueText: (value: V) => string
}

/** A log of a run, of any kind: `use` gets the reader of that kind. */
export type ShownLog = <A>(use: <E extends TaggedEvent, S, V>(reader: LogReader<E, S, V>) => A) => A

/**
 * What an audit checks in this kind of log, besides the checks for every log. `K` is the knowledge after some lines,
 * `W` a result of the audit.
 */
export interface LogAuditor<E extends TaggedEvent, S, K, W, Err, R> {
  readonly kind: StreamKind<E, S>
  /** The knowledge before the first line. */
  readonly begin: K
  /** Checks further lines, and the files that they name. */
  readonly examine: (
    known: K,
    lines: ReadonlyArray<WalkedLine<E, S>>
  ) => Effect.Effect<{ readonly known: K; readonly words: ReadonlyArray<W> }, Err, R>
  /** Checks what is still open at the end of the log. */
  readonly ended: (walked: WalkState<S>) => Effect.Effect<ReadonlyArray<W>, Err, R>
}
