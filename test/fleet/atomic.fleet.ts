// atomic: what is offered in a transaction is there when that is committed, and only then.
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { assert, beforeAll, describe, it } from "vitest"
import { database } from "../../src/fleet/sql/Database.live.ts"
import { offerTurn, queues } from "../../src/fleet/sql/Queues.live.ts"
import { databaseOf, makeStore, querying } from "./databases.ts"

const { installed, url } = databaseOf("atomic")

describe.runIf(installed)("what is offered in a transaction", () => {
  beforeAll(() => makeStore(url(), "atomic_writer"))
  const target = { root: "pg:1", repoId: "a", targetKey: "pr/7" }
  const store = Layer.provideMerge(queues(3000), database(Redacted.make(url())))
  const offered = () => querying(url(), (sql) => sql`select id from ooda_queue order by id`)
  const offering = (why: string, then: Effect.Effect<unknown, string>) =>
    Effect.runPromise(
      Effect.exit(
        Effect.flatMap(SqlClient, (sql) => sql.withTransaction(Effect.andThen(offerTurn(target, why), then))).pipe(
          Effect.provide(store)
        )
      )
    )

  it("is there when it is committed, and not when it is rolled back or killed", async () => {
    assert.strictEqual((await offering("one", Effect.fail("no")))._tag, "Failure")
    assert.isEmpty(await offered())
    assert.strictEqual((await offering("two", Effect.die("dead")))._tag, "Failure")
    assert.isEmpty(await offered())
    assert.strictEqual((await offering("three", Effect.void))._tag, "Success")
    assert.deepEqual(await offered(), [{ id: "three" }])
  })
})
