// AccountsSql: without a database an account has no place. test/fleet counts its users for real.
import { Effect, Layer } from "effect"
import { it } from "vitest"
import { layer, setAccount } from "../../../../src/fleet/sql/Locks.live.ts"
import { Accounts } from "../../../../src/fleet/Deliveries.ts"
import { isUnreached, nowhere } from "./nowhere.ts"

const session = { locked: () => Effect.die("nobody locks"), kept: () => Effect.die("nobody locks") }

it("has no place, and cannot be set", async () => {
  const used = Effect.provide(
    Accounts.use((them) => them.using(Effect.void)),
    Layer.provide(layer("one", session), nowhere)
  )
  const set = Effect.provide(setAccount("one", 3), nowhere)
  for (const failing of [used, set]) {
    const error = await Effect.runPromise(Effect.flip(failing))
    isUnreached("the accounts of the fleet", error)
  }
})
