// Batch: slots and batches in every mix that a reader may meet.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { assess } from "../../../../src/run/Batch.ts"
import { batch, slot, slots, startedBatch } from "../../../../src/testing/arbitraries/Fact.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

describe("a slot", () => {
  it("is in any of its states, and shrinks towards a queued one", () => {
    assert.sameMembers(tagsOf(drawn(slot)), Object.keys(slots))
    assert.deepStrictEqual(least(slot), { _tag: "Queued", slot: 1, attempts: 0, tries: 0 })
  })

  it("takes overrides", () => {
    for (const one of drawn(slots.Failed({ kind: fc.constant("Quota"), transient: fc.constant(true) }))) {
      assert.deepInclude(one, { _tag: "Failed", kind: "Quota", transient: true })
    }
  })
})

describe("a batch", () => {
  it("has slots that are numbered from 1, as many as its size says", () => {
    for (const { size, slots } of drawn(startedBatch())) {
      assert.deepStrictEqual(slots.map(({ slot }) => slot), Array.from({ length: size }, (_, i) => i + 1))
    }
  })

  it("numbers the slots of an override anew", () => {
    const given = fc.tuple(slots.Queued({ slot: fc.constant(4) }), slots.Running({ slot: fc.constant(4) }))
    for (const { size, slots } of drawn(startedBatch({ slots: given }), 20)) {
      assert.deepStrictEqual([size, ...slots.map(({ slot }) => slot)], [2, 1, 2])
    }
  })

  it("stands in every way that a batch can stand, and shrinks towards one that was not started", () => {
    assert.sameMembers(tagsOf(drawn(batch, 1000).map((one) => assess(one, 1))), [
      "NotStarted",
      "Interrupted",
      "Running",
      "Complete",
      "Failed"
    ])
    assert.deepStrictEqual(least(batch), { _tag: "NotStarted" })
  })
})
