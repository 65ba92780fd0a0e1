// Version: without a database nobody knows the tables, and that is told without its address. test/fleet asks real ones.
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { database } from "../../../../src/fleet/sql/Database.live.ts"
import { fits, isUpToDate } from "../../../../src/fleet/sql/Tables.live.ts"

const nowhere = database(Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere"))

it("tables that cannot be asked are neither known nor taken for fitting", async () => {
  for (const asked of [Effect.asVoid(isUpToDate), fits]) {
    const { message } = await Effect.runPromise(Effect.flip(Effect.provide(asked, nowhere)))
    assert.strictEqual(
      message,
      "the store: the database cannot be reached [check that it runs, and the address of the store]"
    )
  }
})
