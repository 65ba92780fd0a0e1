// Tables: without a database they are not made, and that is told without its address. test/fleet makes them for real.
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { database } from "../../../../src/fleet/sql/Database.live.ts"
import { letWrite, makeTables } from "../../../../src/fleet/sql/Tables.live.ts"

const nowhere = database(Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere"))

it.each([["made", makeTables], ["opened to a role", letWrite("writer")]])("are not %s", async (_, making) => {
  const error = await Effect.runPromise(Effect.flip(Effect.provide(making, nowhere)))
  assert.strictEqual(
    error.message,
    "the tables of the store: the database cannot be reached [check that it runs, and the address of the store]"
  )
  assert.notMatch(JSON.stringify(error), /annabel|s3cret|nowhere/)
})
