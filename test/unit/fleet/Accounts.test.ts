// The port to accounts: its key is one of its own, by which a layer is found.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { unlimited } from "../../../src/fleet/sql/Locks.live.ts"
import { Accounts } from "../../../src/fleet/Deliveries.ts"

it("is found by its key, and without an account everybody may review at once", async () => {
  assert.strictEqual(Accounts.key, "ooda-codex-review/services/Accounts")
  const asked = Accounts.use((them) => Effect.andThen(them.cool(1000), them.using(Effect.succeed("reviewed"))))
  assert.strictEqual(await Effect.runPromise(Effect.provide(asked, unlimited)), "reviewed")
})
