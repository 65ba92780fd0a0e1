// Database: an address that cannot be read is refused, and told to nobody.
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { assert, it } from "vitest"
import { database, sqlFault } from "../../../../src/fleet/sql/Database.live.ts"

it.each(["s3cret:no url", "mysql://annabel:s3cret@db/x", "postgres://ann:s3cret@localhost:port/x"])(
  "refuses %s",
  async (url) => {
    const asked = Effect.flatMap(
      SqlClient,
      (sql) => Effect.mapError(sql`select 1`, (error) => ({ fault: sqlFault(error) }))
    )
    const error = await Effect.runPromise(Effect.flip(Effect.provide(asked, database(Redacted.make(url)))))
    assert.notInclude(JSON.stringify(error), "s3cret")
  }
)
