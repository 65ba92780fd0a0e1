// Line: one committed line of a log of some kind, written and read back.
// An event that this version does not know was written by a newer version. Its meaning is never guessed.
import { Result, Schema } from "effect"
import { isFields } from "../text/Json.ts"
import {
  type Author,
  type Envelope,
  frame,
  type FramedLine,
  type LineProblem,
  type LineRefusal,
  type Sha256,
  verify
} from "./Frame.ts"
import {
  type Commit,
  type Head,
  isLogEvent,
  LogEvent,
  type LoggedEvent,
  type StreamKind,
  type TaggedEvent
} from "./StreamKind.ts"

/** A line with its events. Thousands of them are kept in memory, so it has no field without a use. */
export interface Line<E> extends Commit<E> {
  readonly hash: string
}

/** The events of a line to be written, with place and time. */
export interface NewLine<E> {
  readonly after: Head
  readonly at: string
  readonly by: Author
  readonly events: ReadonlyArray<LoggedEvent<E>>
}

/** Whether an event of a newer version may be ignored by one that does not know it. */
export const isIgnorable = (raw: unknown): boolean => isFields(raw) && raw["ignorable"] === true

/** The name of an event in a line, known to this version or not. */
export const eventName = (raw: unknown): string => isFields(raw) ? String(raw["_tag"]) : "without a name"

const encodeOfLog = Schema.encodeUnknownResult(LogEvent)
const decodeOfLog = Schema.decodeUnknownResult(LogEvent)
const namesOfLog: ReadonlySet<string> = new Set(Object.keys(LogEvent.cases))

/** The lines of one kind of log: how they are written, verified and read. Making one costs as much as ten lines. */
export const lineCodec = <E extends TaggedEvent, S>({ event, genesis, ignorable = [] }: StreamKind<E, S>) => {
  const encodeOfKind = Schema.encodeUnknownResult(event)
  const decodeOfKind = Schema.decodeUnknownResult(event)
  const marked: ReadonlySet<string> = new Set(ignorable)

  const encoded = (one: LoggedEvent<E>): Result.Result<unknown, LineRefusal> => {
    const result: Result.Result<unknown, Schema.SchemaError> = isLogEvent(one) ? encodeOfLog(one) : encodeOfKind(one)
    if (Result.isFailure(result)) return Result.fail({ _tag: "NotOfSchema", problem: result.failure.message })
    const raw = result.success
    return Result.succeed(marked.has(one._tag) && isFields(raw) ? { ...raw, ignorable: true } : raw)
  }

  /** An event of a verified line, or null for one that this version does not know. */
  const eventFrom = (raw: unknown): LoggedEvent<E> | null => {
    const result: Result.Result<LoggedEvent<E>, Schema.SchemaError> = namesOfLog.has(eventName(raw))
      ? decodeOfLog(raw)
      : decodeOfKind(raw)
    return Result.isSuccess(result) ? result.success : null
  }

  return {
    eventFrom,

    /** The line that follows `after`; fails for an invalid event, a misplaced genesis event, or more than 64 KiB. */
    encodeLine: (line: NewLine<E>, sha256: Sha256): Result.Result<FramedLine, LineRefusal> =>
      Result.gen(function*() {
        const events: Array<unknown> = []
        for (const one of line.events) events.push(yield* encoded(one))
        return yield* frame({ ...line, events }, genesis, sha256)
      }),

    /** Verifies the raw bytes of one line, without its newline, as the one that follows `after`. */
    verifyLine: (bytes: Uint8Array, after: Head, sha256: Sha256): Result.Result<Envelope, LineProblem> =>
      verify(bytes, after, genesis, sha256),

    /**
     * Decodes the events of a verified line. Events of a newer version that are marked `ignorable` are left out; any
     * other event that this version cannot read was written by a newer one, since the line carries its own hash.
     */
    decodeLine: ({ at, events, hash, seq }: Envelope): Result.Result<Line<E>, LineProblem> => {
      const known: Array<LoggedEvent<E>> = []
      for (const raw of events) {
        const one = eventFrom(raw)
        if (one !== null) known.push(one)
        else if (!isIgnorable(raw)) {
          return Result.fail({ _tag: "TooNew", newer: { _tag: "UnknownEvent", line: seq, event: eventName(raw) } })
        }
      }
      return Result.succeed({ seq, at, hash, events: known })
    }
  }
}

export type LineCodec<E extends TaggedEvent> = ReturnType<typeof lineCodec<E, unknown>>
