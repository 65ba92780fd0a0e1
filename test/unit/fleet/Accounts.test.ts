// Without an account nobody waits for another.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { unlimited } from "../../../src/fleet/sql/Locks.live.ts"
import { Accounts } from "../../../src/fleet/Deliveries.ts"

it("without an account everybody may review at once", async () => {
  const asked = Accounts.use((them) => Effect.andThen(them.cool(1000), them.using(Effect.succeed("reviewed"))))
  assert.strictEqual(await Effect.runPromise(Effect.provide(asked, unlimited)), "reviewed")
})
