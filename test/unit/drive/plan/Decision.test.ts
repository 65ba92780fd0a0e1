// Decision: how the driver of a plan says that it ends.
import { assert, it } from "vitest"
import { ending } from "../../../../src/drive/plan/Decide.ts"

it("an end is a decision", () => {
  assert.deepStrictEqual(ending({ _tag: "Done" }), { _tag: "End", end: { _tag: "Done" } })
})
