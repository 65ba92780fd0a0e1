// The port to pinned code: its key is one of its own, by which a layer is found.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { pinnedLayers } from "../../../src/fleet/PinnedCode.live.ts"
import { PinnedCode } from "../../../src/fleet/PinnedCode.ts"
import { pinnedOf } from "./pins.ts"

it("is found by its key, and a layer of it answers", async () => {
  assert.strictEqual(PinnedCode.key, "ooda-codex-review/services/PinnedCode")
  const one = PinnedCode.of({ told: () => Effect.succeed(pinnedOf()), shown: pinnedLayers })
  const told = PinnedCode.use((code) => code.told(pinnedOf().submission, "/tree"))
  assert.deepStrictEqual(await Effect.runPromise(Effect.provideService(told, PinnedCode, one)), pinnedOf())
})
