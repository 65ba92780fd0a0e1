// The port to the targets of a fleet: its key is one of its own, and its standings are what the tables hold.
import { Schema } from "effect"
import { assert, it } from "vitest"
import { FleetTargetState, FleetTargets } from "../../../src/fleet/FleetTargets.ts"

it("is found by its key", () => assert.strictEqual(FleetTargets.key, "ooda-codex-review/services/FleetTargets"))

it.each([["Waiting", true], ["Active", true], ["Parked", true], ["Done", true], ["done", false], ["", false]])(
  "%j is a standing: %j",
  (text, expected) => assert.strictEqual(Schema.is(FleetTargetState)(text), expected)
)
