// FleetStoreSql: without a database nothing is set up. test/fleet sets one up for real.
import { Effect, Layer } from "effect"
import { it } from "vitest"
import { layer } from "../../../../src/fleet/sql/FleetStore.live.ts"
import { runDirectory } from "../../../../src/log/LogFile.live.ts"
import { FleetStore } from "../../../../src/fleet/FleetStore.ts"
import { runRef } from "../../run/events.ts"
import { isUnreached, nowhere } from "./nowhere.ts"

const asked = { work: "/work", local: false, lease: null, writer: null, account: null }

it.each([
  ["set up", "the store", (them: FleetStore["Service"]) => Effect.asVoid(them.setUp(asked))],
  ["known", "the store", (them: FleetStore["Service"]) => Effect.asVoid(them.facts)],
  ["read", runDirectory(runRef()), (them: FleetStore["Service"]) => Effect.asVoid(them.contents(runRef()))]
])("nothing is %s", async (_, path, ask) => {
  const layers = Layer.provide(layer, nowhere)
  isUnreached(path, await Effect.runPromise(Effect.provide(FleetStore.use((them) => Effect.flip(ask(them))), layers)))
})
