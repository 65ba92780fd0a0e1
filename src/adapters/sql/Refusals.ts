// Refusals: what a database refuses where Effect takes it for a defect: a commit, a rollback or an answer to a queue.
// The one rule: a database that goes away ends what was asked of it, never the process that asked.
import { Cause, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/** Remembers how an effect failed: beside a defect Effect takes a failure for one too. */
type Noting = <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * What was asked, with every refusal among its defects as a failure. Other defects and interruptions stay; a failure of
 * what was noted is none of them.
 */
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
