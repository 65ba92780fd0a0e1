// DeliveriesSql: without a database nobody is given a review, and none counts as handed in. test/fleet does so for real.
import { Effect, Layer } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { it } from "vitest"
import { layer } from "../../../../src/fleet/sql/Deliveries.live.ts"
import { Deliveries, type Delivery } from "../../../../src/fleet/Deliveries.ts"
import { runRef } from "../../run/events.ts"
import { isUnreached, nowhere } from "./nowhere.ts"

const queues = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)
const delivery: Delivery = {
  attempt: { run: runRef(), level: "low", batch: 1, slot: 1, attempt: 1, id: "a" },
  launch: {
    argv: [],
    cwd: "/work",
    isolated: true,
    line: { seq: 1, hash: "" },
    reviewTimeout: 1,
    maxTranscript: 1
  },
  token: "00000000-0000-4000-8000-000000000000",
  number: 1
}
const ended = { state: { _tag: "Lost" }, emptySession: false, usage: null, files: [] } as const
const alive = { _tag: "Alive", silentFor: 0, waitingForNetwork: 0, bytes: 0 } as const

it.each([
  ["taken", (them: Deliveries["Service"]) => Effect.asVoid(them.take("a", "machine"))],
  ["seen", (them: Deliveries["Service"]) => Effect.asVoid(them.seen(delivery, alive, false))],
  ["handed in", (them: Deliveries["Service"]) => Effect.asVoid(them.ended(delivery, ended))],
  ["returned", (them: Deliveries["Service"]) => them.returned(delivery)]
])("nothing is %s", async (_, ask) => {
  const layers = Layer.provide(layer, Layer.merge(nowhere, queues))
  const asked = Effect.provide(Deliveries.use((them) => Effect.flip(ask(them))), layers)
  isUnreached("the reviews of the fleet", await Effect.runPromise(asked))
})
