// Database: every reason of a database as a fault, without the address that a driver says.
import * as PgClient from "@effect/sql-pg/PgClient"
import { Cause, Effect, Exit, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Client from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import * as Reasons from "effect/sql/SqlError"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { assert, describe, it } from "vitest"
import { isTaken, ownSessions, refusals, sqlFault } from "../../../../src/fleet/sql/Database.live.ts"
import { systemFaultText } from "../../../../src/platform/SystemFault.ts"
import { away, stopping, taken } from "./heldTables.ts"

describe("every reason of a database as a fault, without the address that a driver says", () => {
  const of = (cause: unknown) => ({ cause, message: "postgres://ann:secret@db", operation: "execute" })

  const all: ReadonlyArray<readonly [Reasons.SqlErrorReason, string]> = [
    [new Reasons.ConnectionError(of(null)), "unreachable"],
    [new Reasons.AuthenticationError(of({ code: "28P01" })), "password"],
    [new Reasons.AuthenticationError(of({ code: "28000" })), "denied"],
    [new Reasons.AuthorizationError(of({ code: "42501" })), "denied"],
    [new Reasons.SqlSyntaxError(of({ code: "42P01" })), "unprepared"],
    [new Reasons.UniqueViolation({ ...of({ code: "23505" }), constraint: "key" }), "other"],
    [new Reasons.ConstraintError(of({ code: "23503" })), "other"],
    [new Reasons.DeadlockError(of({ code: "40P01" })), "busy"],
    [new Reasons.SerializationError(of({ code: "40001" })), "busy"],
    [new Reasons.LockTimeoutError(of({ code: "55P03" })), "busy"],
    [new Reasons.StatementTimeoutError(of({ code: "57014" })), "busy"],
    [new Reasons.UnknownError(of({ code: "53300" })), "busy"],
    [new Reasons.UnknownError(of({ code: "57P03" })), "unreachable"],
    [new Reasons.UnknownError(of({ code: "3D000" })), "missing"],
    [new Reasons.UnknownError(of({ code: "26000" })), "pooled"],
    [new Reasons.SqlSyntaxError(of({ code: "42P05" })), "pooled"],
    [new Reasons.UnknownError(of({ code: "XX000" })), "other"]
  ]

  // As servers, poolers and services say it, with the code that comes with it.
  const opening: ReadonlyArray<readonly [string, string | null, string]> = [
    ['no pg_hba.conf entry for host "::1", user "ann", database "x", no encryption', "28000", "encryptedOnly"],
    ['no pg_hba.conf entry for host "::1", user "ann", database "x", SSL off', "28000", "encryptedOnly"],
    ['no pg_hba.conf entry for host "::1", user "ann", database "x", SSL encryption', "28000", "denied"],
    ["SSL required", "08P01", "encryptedOnly"],
    ["SSL connection is required. Please specify SSL options and retry.", "28000", "encryptedOnly"],
    ["connection is insecure (try using `sslmode=require`)", "XX000", "encryptedOnly"],
    ["The server does not support TLS", null, "unencrypted"],
    ["The server requested password authentication", null, "password"],
    ['password authentication failed for user "ann"', "08P01", "password"],
    ["connection requires a valid client certificate", "28000", "clientCertificate"],
    ["no such database: x", "08P01", "missing"],
    ["certificate has expired", "CERT_HAS_EXPIRED", "expired"],
    ["certificate is not yet valid", "CERT_NOT_YET_VALID", "expired"],
    ["self-signed certificate in certificate chain", "SELF_SIGNED_CERT_IN_CHAIN", "untrusted"],
    ["write EPROTO 00:error:0A000438:SSL routines:ssl3_read_bytes:tlsv1 alert", "EPROTO", "handshake"],
    ["getaddrinfo EAI_AGAIN db", "EAI_AGAIN", "unresolved"],
    ["write EPIPE", "EPIPE", "unreachable"]
  ]

  describe("sqlFault", () => {
    it.each(all.map(([reason, why]): [string, Reasons.SqlErrorReason, string] => [reason._tag, reason, why]))(
      "of %s",
      (_, reason, why) => {
        const fault = sqlFault(new SqlError({ reason }))
        assert.strictEqual(fault.why, why)
        assert.match(systemFaultText(fault), /^(SQLSTATE [0-9A-Z]{5}: )?[a-z].* \[.*\]$/)
        assert.notInclude(JSON.stringify(fault), "secret")
      }
    )

    const saying = (said: string, code: string | null, operation: string) => {
      const given = { cause: Object.assign(new Error(said), code === null ? {} : { code }), message: said, operation }
      const reason = code === "28000" ? new Reasons.AuthenticationError(given) : new Reasons.ConnectionError(given)
      return sqlFault(new SqlError({ reason }))
    }

    it.each(opening)("of a connection: %s", (said, code, why) => {
      const fault = saying(said, code, "connect")
      assert.strictEqual(fault.why, why)
      assert.strictEqual(fault.state, code !== null && /\d/.test(code) ? code : null)
    })

    it("of a statement does not depend on what was said", () =>
      assert.deepStrictEqual(
        opening.slice(0, 2).map(([said, code]) => saying(said, code, "execute").why),
        ["denied", "denied"]
      ))

    it("quotes the server's own sentence, but none that may hold a value or an address", () => {
      const text = (code: string, said: string) => systemFaultText(saying(said, code, "execute"))
      assert.match(
        text("25006", "cannot execute CREATE TABLE in a read-only transaction"),
        /^SQLSTATE 25006 "cannot execute CREATE TABLE in a read-only transaction": /
      )
      assert.match(text("42501", "permission denied for schema public"), /^SQLSTATE 42501 "permission denied/)
      assert.notInclude(text("22P02", 'invalid input syntax for type integer: "secret"'), "secret")
      assert.notInclude(text("28P01", 'password authentication failed for user "ann"'), "ann")
    })

    it("names the state that a server gave, and no other code", () => {
      assert.strictEqual(sqlFault(stopping).state, "57P01")
      assert.isNull(sqlFault(away).state)
      assert.isNull(sqlFault(new SqlError({ reason: new Reasons.UnknownError(of({ code: 7 })) })).state)
    })
  })

  it("a row that is there is distinguished from all else", () => {
    assert.isTrue(isTaken(taken))
    assert.isFalse(isTaken(away))
  })
})

const refused = new SqlError({ reason: new ConnectionError({ cause: new Error("gone") }) })
const dying = Cause.makeDieReason(refused)

const reasonsOf = async <E>(...reasons: ReadonlyArray<Cause.Reason<E>>) => {
  const exit = await Effect.runPromiseExit(refusals(() => Effect.failCause(Cause.fromReasons(reasons))))
  return Exit.isFailure(exit) ? exit.cause.reasons : []
}

describe("refusals", () => {
  it("takes what the database refused for a failure", async () => {
    assert.strictEqual(await Effect.runPromise(Effect.flip(refusals(() => Effect.die(refused)))), refused)
    assert.strictEqual(await Effect.runPromise(Effect.flip(refusals(() => Effect.fail(refused)))), refused)
    assert.strictEqual(await Effect.runPromise(refusals(() => Effect.succeed(1))), 1)
  })

  it("says what failed first, where the rollback is refused as well", async () => {
    const first = Cause.makeFailReason("first")
    assert.deepStrictEqual(await reasonsOf(first, dying), [first])
  })

  it("takes for a failure what Effect takes for a defect because it failed before a rollback was refused", async () => {
    const failed = Effect.fail("first")
    const asked = refusals((noting) => Effect.ensuring(noting(failed), Effect.die(refused)))
    assert.strictEqual(await Effect.runPromise(Effect.flip(asked)), refused)
    const bug = await Effect.runPromiseExit(refusals(() => Effect.ensuring(failed, Effect.die(refused))))
    assert.isTrue(Exit.isFailure(bug) && Cause.hasDies(bug.cause))
  })

  it("leaves other defects and interruptions as they are", async () => {
    const bug = Cause.makeDieReason(new Error("a bug"))
    assert.deepStrictEqual(await reasonsOf(bug, dying), [bug])
    const interrupted = Cause.makeInterruptReason(1)
    assert.deepStrictEqual(await reasonsOf(interrupted, dying), [interrupted])
  })
})

describe("sessions that last", () => {
  /** Two connections on a server whose sessions keep a mark: which one answers is `of` connection and statement. */
  const asked = (of: (connection: number, statement: number) => number, forgets = false) => {
    const marks: Array<unknown> = []
    let connections = 0
    let statements = 0
    const connect = Effect.sync((): Connection => {
      const connection = connections++
      return {
        execute: () => Effect.succeed([]),
        executeRaw: () => Effect.succeed([]),
        executeUnprepared: () => Effect.succeed([]),
        executeValues: () => Effect.succeed([]),
        executeValuesUnprepared: (_, [mark]) =>
          Effect.sync(() => {
            const session = of(connection, statements++)
            const found = marks[session] ?? null
            if (!forgets) marks[session] = mark
            return [[found, mark]]
          }),
        executeStream: () => Stream.empty
      }
    })
    const client = Client.make({
      acquirer: connect,
      compiler: PgClient.makeCompiler(),
      driver: "none",
      spanAttributes: []
    })
    return Effect.runPromise(
      Effect.flatMap(client, (sql) => Effect.provideService(ownSessions, Client.SqlClient, sql)).pipe(
        Effect.match({ onFailure: (error) => "why" in error ? error.why : error._tag, onSuccess: () => "own" }),
        Effect.provide(Reactivity.layer)
      )
    )
  }

  it.each<readonly [string, string, Parameters<typeof asked>]>([
    ["are each connection's own on a server", "own", [(connection) => connection]],
    ["are not behind a pooler of one", "pooled", [() => 0]],
    ["are not where a pooler gives the one after the other", "pooled", [(_, statement) => statement % 2]],
    ["are not where a pooler gives each after two statements", "pooled", [(_, statement) => statement >> 1 & 1]],
    ["are not where a pooler resets them", "pooled", [(connection) => connection, true]]
  ])("%s", async (_, found, given) => assert.strictEqual(await asked(...given), found))
})
