// Walk: the events of verified lines, one by one, each with the folded state before and after it.
// Only one state is held at a time, so a log of any length is walked in constant memory.
import { Array as Arrays, Effect, Schedule, Stream } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import { EventLog } from "./EventLog.ts"
import type { Envelope, Newer } from "./Frame.ts"
import { eventName, isIgnorable, lineCodec } from "./Line.ts"
import type { RunRef } from "./Refs.ts"
import {
  beginning,
  type Commit,
  type Head,
  isLogEvent,
  type LoggedEvent,
  type Place,
  type StreamKind,
  type TaggedEvent
} from "./StreamKind.ts"

/** How far a log has been walked. */
export interface WalkState<S> {
  /** Null before the genesis event, and from the first unknown event that is not ignorable. */
  readonly state: S | null
  /** An unknown event that is not ignorable, or null. */
  readonly unknown: Newer | null
}

/** Before the first line. */
export const walkStart: WalkState<never> = { state: null, unknown: null }

/** One event in its place. `event` is null for one that this version does not know; `raw` is the stored value. */
export interface WalkedEvent<E, S> {
  readonly line: Envelope
  readonly index: number
  readonly raw: unknown
  readonly event: LoggedEvent<E> | null
  readonly before: WalkState<S>
  readonly after: WalkState<S>
}

/** A line with its events one by one, and the walk after it. */
export interface WalkedLine<E, S> {
  readonly _tag: "Line"
  readonly line: Envelope
  readonly happenings: ReadonlyArray<WalkedEvent<E, S>>
  readonly after: WalkState<S>
}

const folded = <E extends TaggedEvent, S>(
  { fold }: StreamKind<E, S>,
  state: S | null,
  event: LoggedEvent<E>,
  line: Place
): S | null => {
  if (isLogEvent(event)) return state
  return state === null ? fold.initial(event) : fold.evolve(state, event, line)
}

/** Walks the lines of one kind of log, each from how far the walk was before it. */
export const walker = <E extends TaggedEvent, S>(kind: StreamKind<E, S>) => {
  const { eventFrom } = lineCodec(kind)

  const step = (walked: WalkState<S>, event: LoggedEvent<E> | null, raw: unknown, line: Envelope): WalkState<S> => {
    const { state, unknown } = walked
    if (event !== null) return unknown === null ? { state: folded(kind, state, event, line), unknown } : walked
    if (isIgnorable(raw)) return walked
    return { state: null, unknown: unknown ?? { _tag: "UnknownEvent", line: line.seq, event: eventName(raw) } }
  }

  return (from: WalkState<S>, line: Envelope): WalkedLine<E, S> => {
    let before = from
    const happenings = line.events.map((raw, index): WalkedEvent<E, S> => {
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
export const fold = <E extends TaggedEvent, S>(kind: StreamKind<E, S>, commits: Iterable<Commit<E>>): S | null => {
  let state: S | null = null
  for (const commit of commits) {
    for (const event of commit.events) state = folded(kind, state, event, commit)
  }
  return state
}

// A log as one stream

/** Soon enough for a person; an idle log costs two small reads each time. */
const lookEvery = "200 millis"

// The line from which events are decoded by compiled code: compiling costs as much as decoding so many lines.
const compiledFrom = 5000

/** How far a walk has come: the last line, and the state after it. */
export interface WalkPlace<S> {
  readonly head: Head
  readonly walked: WalkState<S>
}

/** The end of the log at this look, the bytes of a torn tail, and whether an anchor shows that nothing was cut. */
export interface WalkEnd<S> {
  readonly _tag: "End"
  readonly place: WalkPlace<S>
  readonly torn: number
  readonly anchored: boolean
}

/** A step of a walk. A followed log has an end for each look at it. */
export type WalkStep<E, S> = WalkedLine<E, S> | WalkEnd<S>

/** How far a walk has come with a step. */
export const placeAfter = <E, S>(step: WalkStep<E, S>): WalkPlace<S> =>
  step._tag === "End" ? step.place : { head: { seq: step.line.seq, hash: step.line.hash }, walked: step.after }

export interface WalkOptions<S> {
  /** Where an earlier walk ended, to continue from there. Without it the walk begins at the first line. */
  readonly from?: WalkPlace<S>
  /** The lines up to this one are read but not shown: the state after them depends on them. */
  readonly after?: number
  /** The walk ends with this line. */
  readonly until?: number
  /** Whether the walk continues with later commits. It then has no end by itself. */
  readonly follow?: boolean
}

/** Walks a log in chunks. If the log is damaged, the lines before come first, then the failure. */
export const walkLog = <E extends TaggedEvent, S>(
  kind: StreamKind<E, S>,
  run: RunRef,
  options: WalkOptions<S> = {}
) =>
  Stream.unwrap(Effect.map(EventLog, (log) => {
    const { after = 0, follow = false, until = Number.POSITIVE_INFINITY } = options
    let walk = walker(kind)
    let compiled = false
    let place: WalkPlace<S> = options.from ?? { head: beginning, walked: walkStart }
    const look = Stream.suspend(() => log.stream(kind, run, place.head)).pipe(
      Stream.map(({ end, head, lines }) => {
        if (!compiled && place.head.seq >= compiledFrom) {
          compiled = true
          SchemaJITCompiler.enable(kind.event.ast)
          // A codec made before stays uncompiled.
          walk = walker(kind)
        }
        const steps: Array<WalkStep<E, S>> = []
        let { walked } = place
        for (const line of lines) {
          const step = walk(walked, line)
          walked = step.after
          if (line.seq > after) steps.push(step)
        }
        place = { head, walked }
        if (end !== null) steps.push({ _tag: "End", place, ...end })
        return steps
      }),
      Stream.filter(Arrays.isArrayNonEmpty),
      Stream.flattenArray
    )
    return (follow ? Stream.repeat(look, Schedule.spaced(lookEvery)) : look).pipe(
      Stream.takeUntil((step) => step._tag === "Line" && step.line.seq >= until)
    )
  }))
