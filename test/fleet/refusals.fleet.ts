// refusals: a server that goes away in the middle of a transaction, or while something is taken from a queue.
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { assert, describe, inject, it } from "vitest"
import { database, inTransaction } from "../../src/fleet/sql/Database.live.ts"
import { offerReview, queues, reviews } from "../../src/fleet/sql/Queues.live.ts"
import { withServer } from "./databases.ts"

describe.runIf(inject("postgres") !== null)("a server that goes away", () => {
  it(
    "refuses the transaction and the end of what was taken, and ends no process",
    () =>
      withServer(true, async (server) => {
        const base = database(Redacted.make(server.database("own")))
        const crash = Effect.promise(() => server.crash())
        const asked = Effect.gen(function*() {
          const sql = yield* SqlClient
          for (const id of ["one", "two"]) yield* offerReview(id)
          const queue = yield* reviews
          // Effect asks for as long as this several times whether the server is back, and then takes it for a defect.
          const taking = queue.take(({ attempt }) =>
            attempt === "one" ? crash : Effect.andThen(crash, Effect.fail({ _tag: "Away" } as const))
          )
          const taken = yield* Effect.all([Effect.flip(taking), Effect.flip(taking)], { concurrency: "unbounded" })
          assert.deepStrictEqual(taken.map(({ _tag }) => _tag), ["PersistedQueueError", "PersistedQueueError"])
          yield* Effect.promise(() => server.start())
          const failed = yield* Effect.flip(inTransaction(sql, Effect.andThen(sql`select 1`, crash)))
          assert.isTrue(isSqlError(failed))
        })
        await Effect.runPromise(Effect.provide(asked, Layer.provideMerge(queues(3000), base)))
      }),
    60_000
  )
})
