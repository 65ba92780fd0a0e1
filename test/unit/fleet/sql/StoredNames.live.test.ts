// StoredNames: without a database there are no names, rather than none of them. test/fleet asks for real.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { type StoredNames, storedNames } from "../../../../src/fleet/sql/RunStore.live.ts"
import { runRef } from "../../run/events.ts"
import { nowhere } from "./nowhere.ts"

it.each([
  ["the store", (names: StoredNames) => Effect.asVoid(names.name)],
  ["the newest run", (names: StoredNames) => Effect.asVoid(names.latest(runRef()))],
  ["the runs", (names: StoredNames) => Effect.asVoid(names.runs(runRef()))],
  ["a removal", (names: StoredNames) => Effect.asVoid(names.remove(runRef(), true))]
])("%s is an error", async (_, ask) => {
  const error = await Effect.runPromise(Effect.flip(Effect.provide(Effect.flatMap(storedNames, ask), nowhere)))
  assert.strictEqual(error.reason._tag, "ConnectionError")
})
