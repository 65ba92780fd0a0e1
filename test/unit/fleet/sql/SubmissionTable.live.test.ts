// SubmissionTable: its steps are some of the tables', so that they fail with them. test/fleet makes them for real.
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { database } from "../../../../src/fleet/sql/Database.live.ts"
import { letSubmit, pins, submissions } from "../../../../src/fleet/sql/Tables.live.ts"

const nowhere = database(Redacted.make("postgres://annabel:s3cret@localhost/x?host=/nowhere"))

it.each([["made", submissions], ["made for pins", pins], ["opened to a role", letSubmit("writer")]])(
  "is not %s",
  async (_, making) => {
    const error = await Effect.runPromise(Effect.flip(Effect.provide(making, nowhere)))
    assert.notMatch(error.message, /annabel|s3cret/)
  }
)
