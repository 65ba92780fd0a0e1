// fleetFlags: a flag belongs to its actions, and is refused with every other one.
import { assert, it } from "vitest"
import { misplaced } from "../../../../src/cli/commands/fleet.ts"
import { given } from "./fleetGiven.ts"

it.each([
  [given("status", { capacity: 3 }), "--capacity belongs to fleet worker"],
  [given("worker", { json: true }), "--json belongs to fleet status"],
  [given("submit", { account: { name: "a", cap: 1 } }), "--account belongs to fleet init and fleet worker"],
  [given("init", { first: "x" }), "TARGET belongs to fleet wait and fleet export"],
  [given("wait", { second: "x" }), "DIR belongs to fleet export"],
  [given("worker", { capacity: 3, account: { name: "a", cap: null } }), null],
  [given("status", { json: true }), null]
])("%#", (all, expected) => assert.strictEqual(misplaced(all), expected))
