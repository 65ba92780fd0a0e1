// The port to a machine's workbench: its key is one of its own, by which a layer is found.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Workbench } from "../../../src/fleet/Deliveries.ts"

it("is found by its key, and a layer of it answers", async () => {
  assert.strictEqual(Workbench.key, "ooda-codex-review/services/Workbench")
  const none = Workbench.of({
    open: ({ attempt }) => Effect.succeed(attempt),
    left: () => Effect.succeed([]),
    close: () => Effect.void,
    found: Effect.succeed([])
  })
  assert.isEmpty(await Effect.runPromise(Effect.provideService(Workbench.use(({ found }) => found), Workbench, none)))
})
