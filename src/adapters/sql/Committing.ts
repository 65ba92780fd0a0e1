// Committing: one line into the tables, if the log still ends where the line begins, or why it was refused.
import { Clock, Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Author } from "../../core/log/Frame.ts"
import type { Head } from "../../core/log/Head.ts"
import type { Tagged } from "../../core/log/StreamKind.ts"
import { LogConflict, LogMissing, LogRewound, LogUnavailable } from "../../services/EventLog.ts"
import { note } from "../../services/Note.ts"
import type { Latest } from "../../services/RunStore.ts"
import { sha256 } from "../log/Line.ts"
import { isTaken } from "./SqlFaults.ts"
import { type SqlLog, unavailable } from "./SqlLog.ts"
import type { LogName, Statements, StoredLine } from "./Statements.ts"
import { rewound } from "./Verify.ts"

/** What is committed: events decided from `expected`, by whom, as the first line of a log or a further one. */
export interface Committed<E> {
  readonly as: "first" | "further"
  readonly expected: Head
  readonly by: Author
  readonly events: ReadonlyArray<E>
  /** What `latest` said when a first line was decided. */
  readonly instead?: Latest | undefined
}

/** Why a line cannot follow `expected`; null where nothing speaks against it. */
const refusal = Effect.fnUntraced(function*<E extends Tagged>(
  ask: Statements,
  log: SqlLog<E>,
  { as, expected }: Committed<E>
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
 * Commits a line and returns where the log now ends. Durable when it returns. Where the database goes away in between,
 * or the caller is interrupted, the line may be there: nobody was told that it is, and a second try is a LogConflict.
 */
export const commit = Effect.fnUntraced(function*<E extends Tagged>(
  ask: Statements,
  log: SqlLog<E>,
  what: Committed<E>
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
