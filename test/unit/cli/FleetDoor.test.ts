// FleetDoor: a call that nobody gave a door speaks to no database, in one line that tells no address.
import { Effect, Redacted } from "effect"
import { assert, it } from "vitest"
import { Fleets } from "../../../src/cli/fleets.ts"
import { FleetStore } from "../../../src/fleet/FleetStore.ts"

it("is closed where nobody opens it", async () => {
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
