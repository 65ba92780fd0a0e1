// FleetTargetsSql: without a database no target is forgotten in silence. test/fleet moves them on for real.
import { Effect, Layer } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { it } from "vitest"
import { layer } from "../../../../src/fleet/sql/FleetTargets.live.ts"
import { FleetTargets } from "../../../../src/fleet/FleetTargets.ts"
import { isUnreached, nowhere } from "./nowhere.ts"

const queues = Layer.provide(PersistedQueue.layer, PersistedQueue.layerStoreMemory)
const target = { root: "pg:1", repoId: "a", targetKey: "pr/7" }
const end = { header: "Idle", code: 7 }

it.each([
  ["enqueued", (them: FleetTargets["Service"]) => them.enqueue(target, 1)],
  ["begun", (them: FleetTargets["Service"]) => them.begin(target)],
  [
    "turned",
    (them: FleetTargets["Service"]) =>
      them.turned(target, { submission: 1, turns: 0, run: null, end, standing: "Active" })
  ],
  ["counted", (them: FleetTargets["Service"]) => Effect.asVoid(them.active("pg:1"))],
  ["shown", (them: FleetTargets["Service"]) => Effect.asVoid(them.of(target))],
  ["listed", (them: FleetTargets["Service"]) => Effect.asVoid(them.all("pg:1"))]
])("nothing is %s", async (_, ask) => {
  const layers = Layer.provide(layer, Layer.merge(nowhere, queues))
  const asked = Effect.provide(FleetTargets.use((them) => Effect.flip(ask(them))), layers)
  isUnreached("the targets of the fleet", await Effect.runPromise(asked))
})
