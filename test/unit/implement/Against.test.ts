// Against: a name that no task has, and changes of a person's, end a call before anybody works.
import { Effect } from "effect"
import { assert, it } from "vitest"
import { against } from "../../../src/implement/Against.ts"
import { inWorld } from "./plans.ts"
import { workingRun } from "./workings.ts"

const message = (change: object) =>
  inWorld(
    {},
    Effect.map(Effect.flatMap(workingRun([], change), against), (outcome) =>
      outcome?._tag === "BinaryError" ? outcome.message : outcome)
  )

it("tasks are called by their titles or indexes", async () => {
  assert.isNull(await message({}))
  assert.isNull(await message({ wanted: { _tag: "Named", names: ["Add", "1"] } }))
  assert.strictEqual(
    await message({ wanted: { _tag: "Named", names: ["Add", "Divide", "2"] } }),
    "no task of the plan is called so: Divide, 2 [name a title or an index from 0]"
  )
})
