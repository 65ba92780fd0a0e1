// AttemptTable: its step is one of the tables', so that it fails with them. test/fleet makes it for real.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { attempts, letReview } from "../../../../src/fleet/sql/Tables.live.ts"
import { nowhere } from "./nowhere.ts"

it.each([["made", attempts], ["opened to a role", letReview("writer")]])("is not %s", async (_, making) => {
  const error = await Effect.runPromise(Effect.flip(Effect.provide(making, nowhere)))
  assert.notMatch(error.message, /annabel|s3cret/)
})
