// Database.live: the connections to a store's database, and its refusals as faults of the system.
// No message repeats what the database or its address said.
import * as PgClient from "@effect/sql-pg/PgClient"
import { Cause, Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { DatabaseRefused } from "../../platform/SystemFault.ts"
import { StoreFailed } from "../../run/RunStore.ts"

const causes = {
  ConnectionError: "unreachable",
  AuthenticationError: "denied",
  AuthorizationError: "denied",
  SqlSyntaxError: "unprepared",
  UniqueViolation: "other",
  ConstraintError: "other",
  DeadlockError: "busy",
  SerializationError: "busy",
  LockTimeoutError: "busy",
  StatementTimeoutError: "busy",
  UnknownError: "other"
} as const satisfies Record<SqlError["reason"]["_tag"], DatabaseRefused["why"]>

// Effect has no names for these: the server has no such database, ends or begins, or has no room for a connection.
const byState: ReadonlyMap<string, DatabaseRefused["why"]> = new Map([
  ["3D000", "unreachable"],
  ["57P01", "unreachable"],
  ["57P02", "unreachable"],
  ["57P03", "unreachable"],
  ["53300", "busy"]
])

const sqlState = /^[0-9A-Z]{5}$/

/** The SQLSTATE that a server gave, or null. */
const stateOf = (cause: unknown): string | null => {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return null
  return typeof cause.code === "string" && sqlState.test(cause.code) ? cause.code : null
}

/** The fault. Messages of the driver and of the server may hold the address, the user or a value, and are left out. */
export const sqlFault = ({ reason }: SqlError): DatabaseRefused => {
  const state = stateOf(reason.cause)
  return { _tag: "DatabaseRefused", why: byState.get(state ?? "") ?? causes[reason._tag], state }
}

/** Makes a refusal of the database a failure of the store about a place. */
export const storeFailure = (path: string) =>
  Effect.mapError((error: SqlError | DatabaseRefused | StoreFailed) =>
    error instanceof StoreFailed
      ? error
      : new StoreFailed({ path, reason: isSqlError(error) ? sqlFault(error) : error })
  )

/** Whether a row that must be the only one of its name is there already. */
export const isTaken = ({ reason }: SqlError): boolean => reason._tag === "UniqueViolation"

// Refusals that Effect takes for defects. A database that goes away ends what was asked of it, never the process.

/** Remembers how an effect failed: beside a defect Effect takes a failure for one too. */
type Noting = <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Runs with every refusal among the defects as a failure; other defects and interruptions stay. */
export const refusals = <A, E, R>(
  asked: (noting: Noting) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.suspend(() => {
    const failures = new Set<unknown>()
    const noting: Noting = (use) => Effect.tapError(use, (error) => Effect.sync(() => failures.add(error)))
    return Effect.catchCause(asked(noting), (cause): Effect.Effect<never, E | SqlError> => {
      const refused: Array<SqlError> = []
      const others = cause.reasons.filter((reason) => {
        if (!Cause.isDieReason(reason)) return true
        if (!isSqlError(reason.defect)) return !failures.has(reason.defect)
        refused.push(reason.defect)
        return false
      })
      const [first] = refused
      return first === undefined || others.length > 0
        ? Effect.failCause(Cause.fromReasons(others))
        : Effect.fail(first)
    })
  })

/** A transaction. Where it can be neither committed nor rolled back, the server does the latter. */
export const inTransaction = <A, E, R>(sql: SqlClient, use: Effect.Effect<A, E, R>) =>
  refusals((noting) => sql.withTransaction(noting(use)))

/** The database at a URL that no message repeats, with at most `connections`, made when first needed. */
export const database = (url: Redacted.Redacted, connections = 10): Layer.Layer<SqlClient, StoreFailed> =>
  Layer.catchTag(
    PgClient.layer({ url, applicationName: "ooda-codex-review", maxConnections: connections }),
    "SqlError",
    (error) => Layer.effectContext(new StoreFailed({ path: "the database", reason: sqlFault(error) }))
  )
