// Decision: to end is a decision like any other.
import { assert, it } from "vitest"
import { ending } from "../../../../src/drive/converge/Decide.ts"

it("a driver decides to end, and says why", () => {
  assert.deepStrictEqual(ending({ _tag: "StopAsked" }), { _tag: "End", end: { _tag: "StopAsked" } })
})
