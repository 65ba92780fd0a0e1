// Database.live: the connections to a store's database, with its errors as faults of the system.
// No message repeats the database's address, or a text of it that may hold a value, except the path of a certificate.
import * as PgClient from "@effect/sql-pg/PgClient"
import { Cause, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { DatabaseRefused } from "../../platform/SystemFault.ts"
import { nonce } from "../../run/RunNames.live.ts"
import { StoreFailed } from "../../run/RunStore.ts"
import { redact } from "../../text/redaction/Redaction.ts"
import { type Ways, waysTo } from "./Encryption.live.ts"

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

// Effect has no names for these error codes of servers, of node and of OpenSSL.
const byCode: ReadonlyMap<string, DatabaseRefused["why"]> = new Map([
  ["3D000", "missing"],
  ["57P01", "unreachable"],
  ["57P02", "unreachable"],
  ["57P03", "unreachable"],
  ["53300", "busy"],
  ["28P01", "password"],
  // Statements that were prepared on another session.
  ["26000", "pooled"],
  ["42P05", "pooled"],
  ["ECONNREFUSED", "closed"],
  ["ENOTFOUND", "unresolved"],
  ["EAI_AGAIN", "unresolved"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "untrusted"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT", "untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "untrusted"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "untrusted"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "otherHost"],
  ["CERT_HAS_EXPIRED", "expired"],
  ["CERT_NOT_YET_VALID", "expired"]
])

// Messages during connection to which servers, poolers and the driver give no code of their own.
const bySaid: ReadonlyArray<readonly [RegExp, DatabaseRefused["why"]]> = [
  [/no encryption$|SSL off$|SSL (connection is )?required|sslmode=require/, "encryptedOnly"],
  [/does not support TLS/, "unencrypted"],
  [/requested password|password authentication failed|SCRAM/, "password"],
  [/client certificate|certificate authentication failed/, "clientCertificate"],
  [/no such database/, "missing"],
  [/SSL routines/, "handshake"]
]

const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/

const codeOf = (cause: unknown): string | null =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : null

const saidBy = (cause: unknown): string => cause instanceof Error ? cause.message : ""

// Sentences of these classes name objects, rights and settings: no address, user, or value of a row.
const quotable = /^(?:0A|25|3F|42|5[3-58]|XX)/

/** The fault. Messages of the driver, and others of the server, may hold the address, the user or a value. */
export const sqlFault = ({ reason }: SqlError): DatabaseRefused => {
  const code = codeOf(reason.cause) ?? ""
  const said = reason.operation === "connect" ? saidBy(reason.cause) : ""
  const bySaying = bySaid.find(([words]) => words.test(said))?.[1]
  const why = byCode.get(code) ?? bySaying ?? causes[reason._tag]
  const state = sqlState.test(code) ? code : null
  // A store that is not set up has words of its own.
  const isQuoted = state !== null && quotable.test(state) && why !== "unprepared"
  const own = isQuoted ? redact(saidBy(reason.cause)) : ""
  return { _tag: "DatabaseRefused", why, state, ...(own === "" ? {} : { said: own }) }
}

/** Turns an error of the database into a failure of the store about a place. */
export const storeFailure = (path: string) =>
  Effect.mapError((error: SqlError | DatabaseRefused | StoreFailed) =>
    error instanceof StoreFailed
      ? error
      : new StoreFailed({ path, reason: isSqlError(error) ? sqlFault(error) : error })
  )

/** Whether inserting a row failed because its unique name is taken. */
export const isTaken = ({ reason }: SqlError): boolean => reason._tag === "UniqueViolation"

// Errors that Effect reports as defects. A lost database fails the operation, never the process.

/** Records how an effect failed: beside a defect, Effect takes a failure for a defect too. */
type Noting = <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Runs with every database error among the defects as a failure; other defects and interruptions stay. */
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

/** A transaction. If it can be neither committed nor rolled back, the server rolls it back. */
export const inTransaction = <A, E, R>(sql: SqlClient, use: Effect.Effect<A, E, R>) =>
  refusals((noting) => sql.withTransaction(noting(use)))

/** Whether a connection was refused because it was encrypted, or because it was not. */
const isAboutEncryption = ({ state, why }: DatabaseRefused): boolean =>
  state === "28000" || why === "unencrypted" || why === "handshake" || why === "encryptedOnly"

const failed = (reason: DatabaseRefused) => new StoreFailed({ path: "the store", reason })

/** The database at a URL that no message repeats, with at most `connections`. */
export const database = (
  url: Redacted.Redacted,
  connections = 10
): Layer.Layer<SqlClient | PgClient.PgClient, StoreFailed> =>
  PgClient.layerFrom(Effect.gen(function*() {
    const { url: address, ways } = yield* waysTo(url)
    const by = (ssl: Ways["ways"][number]) =>
      Effect.mapError(
        PgClient.make({ url: address, ssl, applicationName: "ooda-codex-review", maxConnections: connections }),
        sqlFault
      )
    const [first = false, second] = ways
    if (second === undefined) return yield* Effect.mapError(by(first), failed)
    // The first connection shows which of the two the server accepts.
    const opened = (ssl: Ways["ways"][number]) =>
      Effect.tap(by(ssl), (client) => Effect.mapError(Effect.scoped(client.reserve), sqlFault))
    return yield* opened(first).pipe(
      Effect.catchIf(isAboutEncryption, (one) =>
        Effect.mapError(opened(second), (other) => other.why === "encryptedOnly" ? one : other)),
      Effect.mapError(failed)
    )
  }))

// The order of the two connections: irregular, so that no pooler's rotation hides the fault.
const turns = [0, 1, 1, 0, 0, 1, 0, 1, 1, 0] as const

/**
 * Fails unless each of two connections has a lasting session, which a transaction pooler does not give: each sets a
 * mark in its session, and must find its own mark and never the other one.
 */
export const ownSessions = Effect.gen(function*() {
  const sql = yield* SqlClient
  const pair = yield* Effect.all([sql.reserve, sql.reserve])
  const marks = [yield* nonce, yield* nonce] as const
  const marked = new Set<number>()
  for (const turn of turns) {
    const rows = yield* pair[turn].executeValuesUnprepared(
      `with found as materialized (select current_setting('ooda.pair', true) as mark)
       select mark, set_config('ooda.pair', $1, false) from found`,
      [marks[turn]]
    )
    const found = rows[0]?.[0]
    const isOwn = found === marks[turn]
    if (found === marks[1 - turn] || marked.has(turn) && !isOwn) {
      return yield* Effect.fail<DatabaseRefused>({ _tag: "DatabaseRefused", why: "pooled", state: null })
    }
    marked.add(turn)
  }
}).pipe(Effect.scoped)
