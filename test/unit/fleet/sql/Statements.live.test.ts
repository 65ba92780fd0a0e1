// Statements: each is one question with its values beside it, and its rows as parts of logs. test/fleet asks for real.
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Client from "effect/sql/SqlClient"
import { SqlClient } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { assert, describe, it } from "vitest"
import { hasTarget } from "../../../../src/fleet/sql/FleetTargets.live.ts"
import { type Statements, statements } from "../../../../src/fleet/sql/Statements.live.ts"
import { onlyRun } from "../../log/onlyRun.ts"
import { nowhere } from "./nowhere.ts"

describe("each is one question with its values beside it, and its rows as parts of logs", () => {
  const log = { run: { ...onlyRun("store"), runId: "x'; drop table ooda_line; --" }, kind: "review" }
  const head = { seq: 1, hash: "aa" }
  const line = { seq: 2, hash: "bb", bytes: new Uint8Array([1, 10]) }

  /** What is asked by a use of the statements, on a database that answers with these rows. */
  const asking = <A, E>(rows: ReadonlyArray<object>, use: (ask: Statements) => Effect.Effect<A, E>) => {
    const asked: Array<readonly [string, ReadonlyArray<unknown>]> = []
    const answer = (text: string, values: ReadonlyArray<unknown>) =>
      Effect.sync(() => {
        asked.push([text, values])
        return rows
      })
    const connection: Connection = {
      execute: answer,
      executeRaw: answer,
      executeUnprepared: answer,
      executeValues: () => Effect.succeed([]),
      executeValuesUnprepared: () => Effect.succeed([]),
      executeStream: () => Stream.empty
    }
    return Effect.runPromise(
      Effect.gen(function*() {
        const sql = yield* Client.make({
          acquirer: Effect.succeed(connection),
          compiler: PgClient.makeCompiler(),
          driver: "none",
          spanAttributes: []
        })
        const got = yield* Effect.flatMap(Effect.provideService(statements, Client.SqlClient, sql), use)
        return { asked, got }
      }).pipe(Effect.provide(Reactivity.layer))
    )
  }

  describe("each statement", () => {
    const uses: Readonly<Record<keyof Statements, (ask: Statements) => Effect.Effect<unknown, unknown>>> = {
      part: (ask) => ask.part(log, 7, 64),
      bytesBefore: (ask) => ask.bytesBefore(log, 7),
      create: (ask) => ask.create(log, line),
      append: (ask) => ask.append(log, head, line)
    }
    it.each(Object.entries(uses))("%s is one question, and its values are no part of its text", async (_, use) => {
      const { asked } = await asking([], use)
      assert.lengthOf(asked, 1)
      const [text, values] = asked[0] ?? assert.fail("nothing was asked")
      assert.notMatch(text, /drop table|;/)
      assert.includeMembers([...values], ["store", "repo", "uncommitted", log.run.runId, "review"])
    })
  })

  describe("a part", () => {
    const row = { headSeq: 3, headHash: "cc", before: "aa", seq: null, hash: null, bytes: null }

    it("is null without a log", async () => assert.isNull((await asking([], (ask) => ask.part(log, 0, 64))).got))

    it("has no line behind the last one", async () =>
      assert.deepStrictEqual((await asking([row], (ask) => ask.part(log, 3, 64))).got, {
        head: { seq: 3, hash: "cc" },
        before: "aa",
        lines: []
      }))

    it("has its lines", async () =>
      assert.deepStrictEqual((await asking([{ ...row, ...line }], (ask) => ask.part(log, 1, 64))).got?.lines, [line]))
  })

  it("an append says whether a line was inserted", async () => {
    const append = (ask: Statements) => ask.append(log, head, line)
    assert.isTrue((await asking([{ seq: 2 }], append)).got)
    assert.isFalse((await asking([], append)).got)
  })

  it("no line has no bytes before it", async () =>
    assert.strictEqual((await asking([], (ask) => ask.bytesBefore(log, 1))).got, 0))
})

describe("a target", () => {
  it("a target is named by all its parts", async () => {
    const target = { root: "'; drop", repoId: "b", targetKey: "c" }
    const text = Effect.map(SqlClient, (sql) => sql`select ${hasTarget(sql, target)}`.compile())
    const [statement, values] = await Effect.runPromise(Effect.provide(text, nowhere))
    assert.strictEqual(statement, "select t.root = $1 and t.repo_id = $2 and t.target_key = $3")
    assert.deepEqual(values, ["'; drop", "b", "c"])
  })
})
