// The port RunExports: its key is one of its own, by which a layer is found.
import { assert, it } from "vitest"
import { RunExports } from "../../../src/fleet/FleetStore.ts"

it("is found by its key", () => assert.strictEqual(RunExports.key, "ooda-codex-review/services/RunExports"))
