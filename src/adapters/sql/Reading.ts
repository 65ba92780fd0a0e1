// Reading: a log in the tables as commits or as a stream, part by part, each part of one instant and verified.
// It refuses what the log of files refuses, and hands on the lines before what is wrong.
import { Effect, Option, Result, Stream } from "effect"
import type { Envelope } from "../../core/log/Frame.ts"
import type { Head } from "../../core/log/Head.ts"
import type { Line } from "../../core/log/Line.ts"
import type { Tagged } from "../../core/log/StreamKind.ts"
import { type LogContents, LogMissing, type LogPart, type LogReadError, LogRewound } from "../../services/EventLog.ts"
import { lineError } from "../log/Line.ts"
import { type SqlLog, unavailable } from "./SqlLog.ts"
import type { Statements } from "./Statements.ts"
import { rewound, verifyPart } from "./Verify.ts"

/** The most lines that are held at a time: as many of the longest are 4 MiB. */
export const partLines = 64

/** A verified part of a log, where it ends, and the failure that ends the reading behind it. */
interface Part {
  readonly lines: ReadonlyArray<Envelope>
  readonly end: Head
  readonly failure: LogReadError | null
  readonly isLast: boolean
}

const offsetOf = <E extends Tagged>(ask: Statements, log: SqlLog<E>, seq: number) =>
  Effect.mapError(ask.bytesBefore(log, seq), unavailable(log))

/** Reads one part after a line. Fails where there is nothing to begin from. */
const readPart = Effect.fnUntraced(function*<E extends Tagged>(ask: Statements, log: SqlLog<E>, after: Head) {
  const { path } = log
  const stored = yield* Effect.mapError(ask.part(log, after.seq, partLines), unavailable(log))
  if (stored === null) return yield* new LogMissing({ path })
  const moved = rewound(after, stored.before)
  if (moved !== null) return yield* new LogRewound({ path, kind: moved })
  const { end, lines, problem } = verifyPart(log.codec, stored, after)
  const isLast = stored.lines.length < partLines
  if (problem !== null) {
    const offset = yield* offsetOf(ask, log, end.seq + 1)
    return { lines, end, isLast, failure: lineError(path, problem, { ...end, offset }) } satisfies Part
  }
  // The head's row moves with each line, so that a log that ends elsewhere was changed by something else.
  const kind = !isLast ? null : end.seq === stored.head.seq ? rewound(stored.head, end.hash) : "rolled back"
  const failure = kind === null ? null : new LogRewound({ path, kind })
  return { lines, end, isLast, failure } satisfies Part
})

/** All that was committed after a line. */
export const contents = Effect.fnUntraced(function*<E extends Tagged>(ask: Statements, log: SqlLog<E>, after: Head) {
  const commits: Array<Line<E>> = []
  for (let head = after;;) {
    const { end, failure, isLast, lines } = yield* readPart(ask, log, head)
    for (const envelope of lines) {
      const line = log.codec.decodeLine(envelope)
      if (Result.isFailure(line)) {
        const offset = yield* offsetOf(ask, log, envelope.seq)
        return yield* lineError(log.path, line.failure, { seq: envelope.seq - 1, hash: envelope.prev, offset })
      }
      commits.push(line.success)
    }
    if (failure !== null) return yield* failure
    if (isLast) return { commits, head: end, torn: 0 } satisfies LogContents<E>
    head = end
  }
})

/** The lines after a line as a stream; a failure follows the lines before what is wrong. */
export const streamed = <E extends Tagged>(
  ask: Statements,
  log: SqlLog<E>,
  after: Head
): Stream.Stream<LogPart, LogReadError> => {
  interface At {
    readonly after: Head
    readonly failure: LogReadError | null
  }
  const start: At = { after, failure: null }
  return Stream.paginate(
    start,
    Effect.fnUntraced(function*(at: At) {
      if (at.failure !== null) return yield* Effect.fail(at.failure)
      const { end: head, failure, isLast, lines } = yield* readPart(ask, log, at.after)
      if (failure !== null && lines.length === 0) return yield* Effect.fail(failure)
      const isOver = isLast && failure === null
      const shown: LogPart = { lines, head, end: isOver ? { torn: 0, anchored: true } : null }
      const next: At = { after: head, failure }
      return [[shown], isOver ? Option.none<At>() : Option.some(next)] as const
    })
  )
}
