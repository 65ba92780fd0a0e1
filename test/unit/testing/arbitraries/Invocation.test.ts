// Invocation: settings and actions that a command line can say.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { compare } from "../../../../src/run/Level.ts"
import { action, actions, head, invocation, settings } from "../../../../src/testing/arbitraries/Invocation.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

describe("settings", () => {
  it("have no ceiling below their floor", () => {
    const all = drawn(settings())
    for (const { ceiling, floor } of all) assert.isAtLeast(compare(ceiling, floor), 0)
    assert.isTrue(all.some(({ ceiling, floor }) => ceiling !== floor))
  })

  it("keep to the floor and the ceiling that are asked for", () => {
    for (const { ceiling, floor } of drawn(settings({ floor: fc.constant("high") }), 50)) {
      assert.strictEqual(floor, "high")
      assert.include(["high", "xhigh"], ceiling)
    }
    assert.isTrue(drawn(settings({ ceiling: fc.constant("xhigh") }), 50).every(({ ceiling }) => ceiling === "xhigh"))
  })

  it("leave out what may be left out, and give it", () => {
    const all = drawn(settings())
    for (const field of ["maxIter", "stateRoot", "stepTimeout", "maxBatches", "jobs", "expectHead"] as const) {
      assert.sameMembers([...new Set(all.map((one) => one[field] === null))], [true, false], field)
    }
  })
})

describe("an invocation", () => {
  it("does any of the actions, and shrinks towards the loop", () => {
    assert.sameMembers(tagsOf(drawn(action)), Object.keys(actions))
    assert.deepStrictEqual(least(action), { _tag: "Loop", fresh: false })
    assert.strictEqual(least(invocation()).action._tag, "Loop")
  })

  it("may expect a head as a log has it", () => {
    for (const { hash, seq } of drawn(head(), 20)) {
      assert.match(hash, /^[0-9a-f]{64}$/)
      assert.isAtLeast(seq, 0)
    }
  })
})
