// The port to deliveries: its key is one of its own, by which a layer is found.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Deliveries } from "../../../src/fleet/Deliveries.ts"

it("is found by its key, and a layer of it answers", async () => {
  assert.strictEqual(Deliveries.key, "ooda-codex-review/services/Deliveries")
  const none = Deliveries.of({
    take: () => Effect.succeed(null),
    told: () => Effect.succeed(false),
    ended: () => Effect.succeed(false),
    returned: () => Effect.void
  })
  const asked = Effect.provideService(Deliveries.use((them) => them.take("a", "machine")), Deliveries, none)
  assert.isNull(await Effect.runPromise(asked))
})
