// WalkLog: a log of a run as one stream: line by line its events with the state before and after each, then its end.
// The one rule: only whole verified lines, each once and in order, and nothing is held but the present state.
import { Array as Arrays, Effect, Schedule, Stream } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import { beginning, type Head } from "../core/log/Head.ts"
import type { StreamKind, Tagged } from "../core/log/StreamKind.ts"
import { unwalked, type Walked, type WalkedLine, walker } from "../core/log/Walk.ts"
import type { RunRef } from "../core/run/Refs.ts"
import { EventLog } from "../services/EventLog.ts"

/**
 * How often a followed log is looked at. A person sees a line soon enough, and an idle log costs two small reads a
 * look.
 */
const lookEvery = "200 millis"

// The line from which on events are decoded by compiled code: compiling costs as much as decoding so many lines.
const compiledFrom = 5000

/** How far a walk has come: the last line, and the state after it. */
export interface WalkPlace<S> {
  readonly head: Head
  readonly walked: Walked<S>
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

/** Which part of a log is walked. */
export interface WalkOptions<S> {
  /** Where an earlier walk ended, to go on from there. Without it the walk begins at the first line. */
  readonly from?: WalkPlace<S>
  /**
   * The lines up to this one are not shown. They are read all the same, because the state after them depends on them.
   */
  readonly after?: number
  /** The walk is over with this line. */
  readonly until?: number
  /** Whether the walk goes on with what is committed later. It then has no end by itself. */
  readonly follow?: boolean
}

/**
 * Walks a log. What is read at once is one chunk. Where the log is damaged, the lines before come first, then the
 * failure.
 */
export const walkLog = <E extends Tagged, S>(
  kind: StreamKind<E, S>,
  run: RunRef,
  options: WalkOptions<S> = {}
) =>
  Stream.unwrap(Effect.map(EventLog, (log) => {
    const { after = 0, follow = false, until = Number.POSITIVE_INFINITY } = options
    let walk = walker(kind)
    let compiled = false
    let place: WalkPlace<S> = options.from ?? { head: beginning, walked: unwalked }
    const look = Stream.suspend(() => log.stream(kind, run, place.head)).pipe(
      Stream.map(({ end, head, lines }) => {
        if (!compiled && place.head.seq >= compiledFrom) {
          compiled = true
          SchemaJITCompiler.enable(kind.event.ast)
          // A codec that was made before goes on as it is.
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
