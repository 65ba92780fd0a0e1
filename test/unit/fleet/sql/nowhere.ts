// nowhere: a database that is not there, at an address with a secret in it.
import { Redacted } from "effect"
import { database } from "../../../../src/fleet/sql/Database.live.ts"

/** The database. */
export const nowhere = database(Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere"))
