// SubmissionTable: its step is one of the tables', so that it fails with them. test/fleet makes it for real.
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { database } from "../../../../src/adapters/sql/Database.ts"
import { letSubmit, submissions } from "../../../../src/adapters/sql/SubmissionTable.ts"

const nowhere = database(Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere"))

it.each([["made", submissions], ["opened to a role", letSubmit("writer")]])("is not %s", async (_, making) => {
  const error = await Effect.runPromise(Effect.flip(Effect.provide(making, nowhere)))
  assert.notMatch(error.message, /annabel|s3cret/)
})
