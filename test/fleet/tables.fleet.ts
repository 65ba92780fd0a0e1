// tables: the tables of a store are made once, however many machines make them at the same time.
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { assert, describe, it } from "vitest"
import { makeTables } from "../../src/fleet/sql/Tables.live.ts"
import { databaseOf, logIn, querying } from "./databases.ts"
import { reviewRun } from "../../src/run/ReviewRun.ts"
import { EventLog } from "../../src/log/EventLog.ts"
import { onlyRun } from "../unit/log/onlyRun.ts"
import { outcome } from "../unit/log/temporaryLog.ts"

const { installed, url } = databaseOf("tables")

describe.runIf(installed)("the tables", () => {
  it("are missed by a log in one line that says so", async () => {
    const read = Effect.provide(EventLog.use((log) => log.read(reviewRun, onlyRun("store"))), logIn(url()))
    assert.deepStrictEqual(await outcome(read), {
      _tag: "LogUnavailable",
      reason: { _tag: "DatabaseRefused", why: "unprepared", state: "42P01" }
    })
  })

  it("are made by several machines at once, and not again", async () => {
    const make = () => querying(url(), (sql) => Effect.provideService(makeTables, SqlClient, sql))
    await Promise.all(Array.from({ length: 4 }, make))
    await make()
    const rows = await querying(url(), (sql) =>
      sql<{ name: string; steps: number }>`
        select table_name as name, (select count(*)::int4 from ooda_migration) as steps
        from information_schema.tables where table_schema = 'public' order by 1`)
    const queue = ["queue", "queue_migrations"]
    const parts = [
      "account",
      "attempt",
      "file",
      "line",
      "migration",
      "pin",
      ...queue,
      "run",
      "store",
      "submission",
      "target"
    ]
    assert.deepEqual(rows.map(({ name }) => name), parts.map((part) => `ooda_${part}`))
    assert.strictEqual(rows[0]?.steps, 8)
  })
})
