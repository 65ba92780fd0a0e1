// EventLog.live: the event log on PostgreSQL: its lines are rows with exactly the bytes that a file would have.
// Stored lines are hashed again here; the columns beside the bytes are never trusted.
import { Clock, Effect, Layer, Option, Result, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  EventLog,
  LogConflict,
  type LogContents,
  LogMissing,
  type LogPart,
  type LogReadError,
  LogRewound,
  LogUnavailable
} from "../../log/EventLog.ts"
import type { Author, Envelope, LineProblem } from "../../log/Frame.ts"
import type { Line, LineCodec } from "../../log/Line.ts"
import { lineError, thisProcess as by } from "../../log/LogFile.live.ts"
import type { Latest, RunRef } from "../../log/Refs.ts"
import { beginning, type Head, type StreamKind, type TaggedEvent } from "../../log/StreamKind.ts"
import { note } from "../../platform/Note.ts"
import { sha256 } from "../../platform/Sha256.ts"
import { isTaken } from "./Database.live.ts"
import {
  type LogName,
  type SqlLog,
  sqlLog,
  type Statements,
  statements,
  type StoredLine,
  type StoredPart,
  unavailable
} from "./Statements.live.ts"

const newline = 0x0a
const damaged = (kind: "bad hash" | "no newline"): Result.Result<never, LineProblem> =>
  Result.fail({ _tag: "Damaged", kind, torn: false })

/** A stored line, verified as the one after `after`. */
export const verifyStored = <E extends TaggedEvent>(
  codec: LineCodec<E>,
  { bytes, hash }: StoredLine,
  after: Head
): Result.Result<Envelope, LineProblem> => {
  if (bytes.at(-1) !== newline) return damaged("no newline")
  const verified = codec.verifyLine(bytes.subarray(0, -1), after, sha256)
  return Result.isSuccess(verified) && verified.success.hash !== hash ? damaged("bad hash") : verified
}

/** The lines of a part up to the first wrong one, where they end, and what is wrong with that one. */
interface Verified {
  readonly lines: ReadonlyArray<Envelope>
  readonly end: Head
  readonly problem: LineProblem | null
}

/** Verifies a part that follows `after`. */
export const verifyPart = <E extends TaggedEvent>(codec: LineCodec<E>, part: StoredPart, after: Head): Verified => {
  const lines: Array<Envelope> = []
  let end = after
  for (const stored of part.lines) {
    const line = verifyStored(codec, stored, end)
    if (Result.isFailure(line)) return { lines, end, problem: line.failure }
    lines.push(line.success)
    end = { seq: line.success.seq, hash: line.success.hash }
  }
  return { lines, end, problem: null }
}

/** How a log differs from the line that its reader remembers, or from its own head; null if it does not. */
export const rewound = (expected: Head, found: string | null): "rolled back" | "rewritten" | null => {
  if (expected.seq === 0) return null
  if (found === null) return "rolled back"
  return found === expected.hash ? null : "rewritten"
}

// Reading part by part: each part is one snapshot of the tables and is verified. Refuses what the log in files refuses.

/** The most lines in memory: so many of the longest are 4 MiB. */
export const partLines = 64

/** A verified part of a log, where it ends, and the failure that ends the reading after it. */
interface Part {
  readonly lines: ReadonlyArray<Envelope>
  readonly end: Head
  readonly failure: LogReadError | null
  readonly isLast: boolean
}

const offsetOf = <E extends TaggedEvent>(ask: Statements, log: SqlLog<E>, seq: number) =>
  Effect.mapError(ask.bytesBefore(log, seq), unavailable(log))

/** Reads one part after a line. Fails if the log does not exist. */
const readPart = Effect.fnUntraced(function*<E extends TaggedEvent>(ask: Statements, log: SqlLog<E>, after: Head) {
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
  // The head's row moves with each line, so a log that ends elsewhere was changed from outside.
  const kind = !isLast ? null : end.seq === stored.head.seq ? rewound(stored.head, end.hash) : "rolled back"
  const failure = kind === null ? null : new LogRewound({ path, kind })
  return { lines, end, isLast, failure } satisfies Part
})

/** Everything committed after a line. */
export const contents = Effect.fnUntraced(
  function*<E extends TaggedEvent>(ask: Statements, log: SqlLog<E>, after: Head) {
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
  }
)

/** The lines after a line as a stream; a failure comes after the lines before it. */
export const streamed = <E extends TaggedEvent>(
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

// Committing

/** The input of a commit: events decided from `expected`, their author, and whether it is the first line. */
export interface NewCommit<E> {
  readonly as: "first" | "further"
  readonly expected: Head
  readonly by: Author
  readonly events: ReadonlyArray<E>
  /** The answer of `latest` when a first line was decided. */
  readonly instead?: Latest | undefined
}

/** Why a line cannot follow `expected`, or null. */
const refusal = Effect.fnUntraced(function*<E extends TaggedEvent>(
  ask: Statements,
  log: SqlLog<E>,
  { as, expected }: NewCommit<E>
) {
  const { path } = log
  const stored = yield* Effect.mapError(ask.part(log, expected.seq, 0), unavailable(log))
  if (stored === null) return as === "first" ? null : new LogMissing({ path })
  const actual = stored.head.seq
  const kind = expected.seq > actual ? "rolled back" : rewound(expected, stored.before)
  if (kind !== null) return new LogRewound({ path, kind })
  if (expected.seq < actual) return new LogConflict({ path, expected: expected.seq, actual })
  return stored.head.hash === expected.hash ? null : new LogRewound({ path, kind: "rewritten" })
})

const written = (
  ask: Statements,
  log: LogName,
  as: "first" | "further",
  expected: Head,
  line: StoredLine,
  instead: Latest | undefined
): Effect.Effect<boolean, SqlError> =>
  as === "further"
    ? ask.append(log, expected, line)
    : Effect.catchIf(ask.create(log, line, instead), isTaken, () => Effect.succeed(false))

/**
 * Commits a line and returns where the log now ends. Durable when it returns. If the database is lost meanwhile, or the
 * caller is interrupted, the line may be committed without an acknowledgement; a retry is then a LogConflict.
 */
export const commit = Effect.fnUntraced(function*<E extends TaggedEvent>(
  ask: Statements,
  log: SqlLog<E>,
  what: NewCommit<E>
) {
  const { path } = log
  const { as, by, events, expected, instead } = what
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  const framed = log.codec.encodeLine({ after: expected, at, by, events }, sha256)
  if (Result.isFailure(framed)) {
    const refused = yield* refusal(ask, log, what)
    return yield* refused ?? new LogUnavailable({ path, reason: framed.failure })
  }
  const { bytes, line: { hash, seq } } = framed.success
  const line = { seq, hash, bytes }
  if (!(yield* Effect.mapError(written(ask, log, as, expected, line, instead), unavailable(log)))) {
    const refused = yield* refusal(ask, log, what)
    return yield* refused ?? new LogConflict({ path, expected: expected.seq, actual: expected.seq })
  }
  yield* note("committed a line", { seq, events: events.map(({ _tag }) => _tag), log: path })
  return { seq, hash } satisfies Head
})

// The port

/** The event log on these statements. */
export const make = (ask: Statements): EventLog["Service"] =>
  EventLog.of({
    read: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef) =>
      Effect.withSpan(contents(ask, sqlLog(kind, run), beginning), "EventLog.read"),
    readFrom: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, head: Head) =>
      Effect.withSpan(contents(ask, sqlLog(kind, run), head), "EventLog.readFrom"),
    stream: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, after: Head) =>
      Stream.withSpan(Stream.suspend(() => streamed(ask, sqlLog(kind, run), after)), "EventLog.stream"),
    create: <E extends TaggedEvent, S>(
      kind: StreamKind<E, S>,
      run: RunRef,
      events: ReadonlyArray<E>,
      instead?: Latest
    ) =>
      commit(ask, sqlLog(kind, run), { as: "first", expected: beginning, by, events, instead }).pipe(
        Effect.withSpan("EventLog.create")
      ),
    append: <E extends TaggedEvent, S>(kind: StreamKind<E, S>, run: RunRef, expected: Head, events: ReadonlyArray<E>) =>
      commit(ask, sqlLog(kind, run), { as: "further", expected, by, events }).pipe(
        Effect.withSpan("EventLog.append")
      )
  })

export const layer: Layer.Layer<EventLog, never, SqlClient> = Layer.effect(EventLog, Effect.map(statements, make))
