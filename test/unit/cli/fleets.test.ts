// fleets: a call that was given no fleet reaches no database, and says so in one line without its address.
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { Fleets } from "../../../src/cli/fleets.ts"
import { FleetStore } from "../../../src/fleet/FleetStore.ts"

it("is closed where nothing opens it", async () => {
  const url = Redacted.make("postgres://annabel:s3cret@h/x")
  const facts = Effect.flatMap(
    Fleets,
    (fleets) => Effect.flip(Effect.provide(FleetStore.use(({ facts }) => facts), fleets.store(url)))
  )
  assert.strictEqual(
    (await Effect.runPromise(facts)).message,
    "the store: the database cannot be reached [check that it runs, and the address of the store]"
  )
})
