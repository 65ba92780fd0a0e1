// Batch: the status of a batch, compared with a model that looks at one slot at a time.
// Batches here are any mix of slots; nothing relies on a mix being reachable.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { assess, awaitingRetry, type Batch, mayRetry, reviewsWithIssues, type Slot, slotsOf } from "../src/run/Batch.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const { batch, slots, startedBatch } = arbitraries
const retries = fc.nat({ max: 3 })

/** The status of a batch by its most urgent slot. */
const model = (of: Batch, most: number): string => {
  if (of._tag === "NotStarted") return "NotStarted"
  const says = (slot: Slot): string => {
    if (slot._tag === "Queued") return of.stopped ? "Queued" : "Running"
    if (slot._tag !== "Failed") return slot._tag
    return of.failedAt === 0 && slot.transient && slot.tries < most + 1 ? "Running" : "Failed"
  }
  const all = of.slots.map(says)
  const urgent = ["Running", "Queued", "Failed", "Finished"].find((one) => all.includes(one)) ?? "Finished"
  return { Running: "Running", Queued: "Interrupted", Failed: "Failed", Finished: "Complete" }[urgent] ?? ""
}

describe("assess", () => {
  it("is total, and follows from the most urgent slot", () =>
    fc.assert(fc.property(batch, retries, (of, most) => assert.strictEqual(assess(of, most)._tag, model(of, most))), {
      numRuns: 500
    }))

  it("does not depend on the order of the slots", () =>
    fc.assert(
      fc.property(startedBatch(), retries, (of, most) =>
        assert.strictEqual(assess({ ...of, slots: of.slots.toReversed() }, most)._tag, assess(of, most)._tag))
    ))

  it("is Complete only when every slot has a recorded verdict: nothing unknown is ever clean", () =>
    fc.assert(fc.property(startedBatch(), retries, (of, most) =>
      assert.strictEqual(
        assess(of, most)._tag === "Complete",
        of.slots.every(({ _tag }) => _tag === "Finished")
      ))))

  it("with one more retry never fails a batch that it did not fail with fewer", () =>
    fc.assert(fc.property(startedBatch(), retries, (of, most) => {
      if (assess(of, most)._tag !== "Failed") assert.notStrictEqual(assess(of, most + 1)._tag, "Failed")
    })))

  it("counts finished and failed slots, which together are the whole batch", () =>
    fc.assert(fc.property(startedBatch(), retries, (of, most) => {
      const status = assess(of, most)
      fc.pre(status._tag === "Failed")
      if (status._tag !== "Failed") return
      assert.strictEqual(status.failed.length + status.kept, of.slots.length)
      assert.strictEqual(status.kept, slotsOf(of, "Finished").length)
    })))
})

describe("a batch that no one stopped", () => {
  it("is never Interrupted: queued slots get their turn", () =>
    fc.assert(
      fc.property(startedBatch({ stopped: fc.constant(false) }), retries, (of, most) =>
        assert.notStrictEqual(assess(of, most)._tag, "Interrupted"))
    ))
})

describe("the count of reviews with issues", () => {
  it("is at most the number of finished reviews, each counted once however many findings it has", () =>
    fc.assert(fc.property(startedBatch(), fc.nat({ max: 9 }), (of, findings) => {
      const count = reviewsWithIssues(of)
      assert.isAtMost(count, slotsOf(of, "Finished").length)
      const others = of.slots.map((slot): Slot => slot._tag === "Finished" ? { ...slot, findings } : slot)
      assert.strictEqual(reviewsWithIssues({ ...of, slots: others }), count)
    })))

  it("grows by one with each further review with issues, and with no other", () =>
    fc.assert(fc.property(startedBatch(), slots.Finished(), (of, slot) => {
      const more = reviewsWithIssues({ ...of, slots: [...of.slots, slot] }) - reviewsWithIssues(of)
      assert.strictEqual(more, slot.verdict === "HasIssues" ? 1 : 0)
    })))
})

describe("retries", () => {
  it("are exactly as many as allowed for transient failures, and none for others", () =>
    fc.assert(fc.property(slots.Failed(), retries, (slot, most) => {
      const tries = Array.from({ length: 6 }, (_, i) => i + 1)
      const allowed = tries.filter((n) => mayRetry({ ...slot, tries: n }, most))
      assert.deepStrictEqual(allowed, slot.transient ? tries.slice(0, most) : [])
    })))

  it("never wait in a batch that is recorded as failed", () =>
    fc.assert(
      fc.property(startedBatch({ failedAt: fc.integer({ min: 1, max: 9 }) }), retries, (of, most) =>
        assert.deepStrictEqual(awaitingRetry(of, most), []))
    ))
})
