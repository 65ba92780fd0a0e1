// Statements: each is one question, and no value is part of its text. test/fleet asks real databases.
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Client from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { assert, it } from "vitest"
import { type Statements, statements } from "../../../../src/fleet/sql/Statements.live.ts"
import { onlyRun } from "../../log/onlyRun.ts"

const log = { run: { ...onlyRun("store"), runId: "x'; drop table ooda_line; --" }, kind: "review" }
const line = { seq: 2, hash: "bb", bytes: new Uint8Array([1, 10]) }

/** The questions of a use of the statements, with their values. */
const asking = async (use: (ask: Statements) => Effect.Effect<unknown, unknown>) => {
  const asked: Array<readonly [string, ReadonlyArray<unknown>]> = []
  const answer = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      asked.push([text, values])
      return []
    })
  const connection: Connection = {
    execute: answer,
    executeRaw: answer,
    executeUnprepared: answer,
    executeValues: () => Effect.succeed([]),
    executeValuesUnprepared: () => Effect.succeed([]),
    executeStream: () => Stream.empty
  }
  const client = Client.make({
    acquirer: Effect.succeed(connection),
    compiler: PgClient.makeCompiler(),
    driver: "none",
    spanAttributes: []
  })
  await Effect.runPromise(
    Effect.flatMap(
      client,
      (sql) => Effect.flatMap(Effect.provideService(statements, Client.SqlClient, sql), use)
    ).pipe(Effect.provide(Reactivity.layer))
  )
  return asked
}

const uses: Readonly<Record<keyof Statements, (ask: Statements) => Effect.Effect<unknown, unknown>>> = {
  part: (ask) => ask.part(log, 7, 64),
  bytesBefore: (ask) => ask.bytesBefore(log, 7),
  create: (ask) => ask.create(log, line),
  append: (ask) => ask.append(log, { seq: 1, hash: "aa" }, line)
}

it.each(Object.entries(uses))("%s is one question, and its values are no part of its text", async (_, use) => {
  const asked = await asking(use)
  assert.lengthOf(asked, 1)
  const [text, values] = asked[0] ?? assert.fail("nothing was asked")
  assert.notMatch(text, /drop table|;/)
  assert.includeMembers([...values], ["store", "repo", "uncommitted", log.run.runId, "review"])
})
