// Walk: the events of verified lines, one by one, each with the folded state before and after it.
// The one rule: one state at a time, so that a log of any length is walked in constant memory.
import type { Envelope } from "./Frame.ts"
import { eventName, isIgnorable, lineCodec } from "./Line.ts"
import type { Newer } from "./LineProblem.ts"
import { isLogEvent, type Logged } from "./LogEvent.ts"
import type { Commit, Place, StreamKind, Tagged } from "./StreamKind.ts"

/** How far a log has been walked. */
export interface Walked<S> {
  /** Null before the genesis event, and from the first event that this version does not know but must understand. */
  readonly state: S | null
  /** An unknown event that this version must understand to continue, or null. */
  readonly unknown: Newer | null
}

/** Before the first line. */
export const unwalked: Walked<never> = { state: null, unknown: null }

/** One event where it stands. `event` is null for one that this version does not know; `raw` is what the line holds. */
export interface Happening<E, S> {
  readonly line: Envelope
  readonly index: number
  readonly raw: unknown
  readonly event: Logged<E> | null
  readonly before: Walked<S>
  readonly after: Walked<S>
}

/** A line with its events one by one, and how far the walk has come after it. */
export interface WalkedLine<E, S> {
  readonly _tag: "Line"
  readonly line: Envelope
  readonly happenings: ReadonlyArray<Happening<E, S>>
  readonly after: Walked<S>
}

const folded = <E extends Tagged, S>(
  { fold }: StreamKind<E, S>,
  state: S | null,
  event: Logged<E>,
  line: Place
): S | null => {
  if (isLogEvent(event)) return state
  return state === null ? fold.initial(event) : fold.evolve(state, event, line)
}

/** Walks the lines of one kind of log, each from how far the walk was before it. */
export const walker = <E extends Tagged, S>(kind: StreamKind<E, S>) => {
  const { eventFrom } = lineCodec(kind)

  const step = (walked: Walked<S>, event: Logged<E> | null, raw: unknown, line: Envelope): Walked<S> => {
    const { state, unknown } = walked
    if (event !== null) return unknown === null ? { state: folded(kind, state, event, line), unknown } : walked
    if (isIgnorable(raw)) return walked
    return { state: null, unknown: unknown ?? { _tag: "UnknownEvent", line: line.seq, event: eventName(raw) } }
  }

  return (from: Walked<S>, line: Envelope): WalkedLine<E, S> => {
    let before = from
    const happenings = line.events.map((raw, index): Happening<E, S> => {
      const event = eventFrom(raw)
      const after = step(before, event, raw, line)
      const happening = { line, index, raw, event, before, after }
      before = after
      return happening
    })
    return { _tag: "Line", line, happenings, after: before }
  }
}

/** The state after all of a log's lines, or null when they do not begin with the genesis event. */
export const fold = <E extends Tagged, S>(kind: StreamKind<E, S>, commits: Iterable<Commit<E>>): S | null => {
  let state: S | null = null
  for (const commit of commits) {
    for (const event of commit.events) state = folded(kind, state, event, commit)
  }
  return state
}
