// The port FleetStore: its key is one of its own, by which a layer is found.
import { assert, it } from "vitest"
import { FleetStore } from "../../../src/fleet/FleetStore.ts"

it("is found by its key", () => assert.strictEqual(FleetStore.key, "ooda-codex-review/services/FleetStore"))
