// EvolveBatch: what a fact may do to the slots of a batch, and what it never does.
// Batches and facts here are any at all; a law that needs a sensible log belongs to Manifest.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type BatchFact, evolveBatch, type Slot, type StartedBatch } from "../src/run/Batch.ts"
import type { EventOf } from "../src/run/Event.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const { events, startedBatch } = arbitraries

const ends: fc.Arbitrary<EventOf<"ReviewFinished" | "ReviewFailed" | "ReviewStopped">> = fc.oneof(
  events.ReviewFinished(),
  events.ReviewFailed(),
  events.ReviewStopped()
)
const facts: fc.Arbitrary<BatchFact> = fc.oneof(
  ends,
  events.ReviewStarted(),
  events.BatchCompleted(),
  events.BatchFailed()
)
const settled: fc.Arbitrary<EventOf<"BatchFailed" | "BatchCompleted">> = fc.oneof(
  events.BatchFailed(),
  events.BatchCompleted()
)
const seq = fc.integer({ min: 1, max: 9 })
const slotAt = (batch: StartedBatch, slot: number): Slot | undefined => batch.slots[slot - 1]

const always = <Fact extends BatchFact>(
  some: fc.Arbitrary<Fact>,
  law: (before: StartedBatch, fact: Fact, after: StartedBatch, line: number) => void
) =>
  fc.assert(
    fc.property(startedBatch(), some, seq, (before, fact, line) =>
      law(before, fact, evolveBatch(before, fact, line, "now"), line)),
    { numRuns: 500 }
  )

describe("any fact", () => {
  it("leaves what the batch was started with, and its slots in number and order", () =>
    always(facts, (before, _, after) => {
      for (const key of ["size", "base", "argv", "identity"] as const) assert.deepStrictEqual(after[key], before[key])
      assert.deepStrictEqual(after.slots.map(({ slot }) => slot), before.slots.map(({ slot }) => slot))
    }))

  it("says nothing about the slots that it does not name, unless a failed batch is run again", () =>
    always(facts, (before, fact, after) => {
      if (fact._tag === "ReviewStarted" && before.failedAt > 0) return
      for (const slot of before.slots) {
        if (!("slot" in fact) || fact.slot !== slot.slot) assert.deepStrictEqual(slotAt(after, slot.slot), slot)
      }
    }))
})

describe("the end of an attempt", () => {
  it("counts once, and only for the attempt that is open; a stop also takes back one that was to be repeated", () =>
    always(ends, (before, fact, after) => {
      const slot = slotAt(before, fact.slot)
      const repeated = fact._tag === "ReviewStopped" && slot?._tag === "Failed"
      const open = (slot?._tag === "Running" || repeated) && slot?.attempts === fact.attempt
      if (!open) return assert.deepStrictEqual(after.slots, before.slots)
      const tags = { ReviewFinished: "Finished", ReviewFailed: "Failed", ReviewStopped: "Queued" } as const
      assert.deepInclude(slotAt(after, fact.slot), { _tag: tags[fact._tag], attempts: fact.attempt })
    }))

  it("by a stop marks the batch as stopped, and forgets the tries of the slot", () =>
    always(ends, (before, fact, after) => {
      assert.strictEqual(after.stopped, before.stopped || fact._tag === "ReviewStopped")
      const slot = slotAt(before, fact.slot)
      const changed = slot !== slotAt(after, fact.slot)
      if (changed && slot !== undefined) {
        assert.strictEqual(slotAt(after, fact.slot)?.tries, fact._tag === "ReviewStopped" ? 0 : slot.tries)
      }
    }))

  it("keeps the verdict unchanged", () =>
    always(events.ReviewFinished(), (before, fact, after) => {
      const slot = slotAt(after, fact.slot)
      if (slot?._tag !== "Finished" || slot === slotAt(before, fact.slot)) return
      const { findings, log, out, reason, review = null, source, verdict } = fact
      assert.deepInclude(slot, { verdict, reason, source, findings, files: { log, out, review } })
    }))
})

describe("the start of an attempt", () => {
  it("runs the slot it names, with one more try", () =>
    always(events.ReviewStarted(), (before, fact, after) => {
      const slot = slotAt(before, fact.slot)
      if (slot === undefined || slot._tag === "Finished") return
      const tries = 1 + (before.failedAt > 0 && slot._tag === "Failed" ? 0 : slot.tries)
      const { attempt: attempts, id } = fact
      const expected: Slot = { _tag: "Running", slot: fact.slot, attempts, tries, id, since: "now" }
      assert.deepStrictEqual(slotAt(after, fact.slot), expected)
    }))

  it("takes the batch up again: it is neither stopped nor failed any more, and no failed slot is left behind", () =>
    always(events.ReviewStarted(), (before, fact, after) => {
      assert.deepInclude(after, { stopped: false, failedAt: 0 })
      if (before.failedAt === 0) return
      for (const slot of before.slots) {
        const next = slotAt(after, slot.slot)
        if (slot.slot === fact.slot) continue
        if (slot._tag === "Failed") assert.deepInclude(next, { _tag: "Queued", attempts: slot.attempts, tries: 0 })
        else assert.deepStrictEqual(next, slot)
      }
    }))
})

describe("the end of a batch", () => {
  it("as failed is remembered by its line, as complete by the identity seen then", () =>
    always(settled, (before, fact, after, line) => {
      const expected: StartedBatch = fact._tag === "BatchFailed"
        ? { ...before, failedAt: line }
        : { ...before, completed: fact.identity }
      assert.deepStrictEqual(after, expected)
    }))
})
