// nowhere: a database that is not there, at an address with a secret in it.
import { Redacted } from "effect"
import { assert } from "vitest"
import { database } from "../../../../src/fleet/sql/Database.live.ts"

/** The database. */
export const nowhere = database(Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere"))

/** Checks that an error says that a database cannot be reached, and names it to nobody. */
export const isUnreached = (path: string, error: { readonly message: string }): void => {
  assert.strictEqual(
    error.message,
    `${path}: the database cannot be reached [check that it runs, and the address of the store]`
  )
  assert.notMatch(JSON.stringify(error), /annabel|s3cret|nowhere/)
}
