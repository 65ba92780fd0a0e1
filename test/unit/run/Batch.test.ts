// Batch: what every mix of slots says together, and which failures are tried again.
// The one rule: a case of `assess` is asserted whole, with the slots or counts it carries.
import { assert, describe, it } from "vitest"
import {
  assess,
  awaitingRetry,
  type Batch,
  mayRetry,
  reviewsWithIssues,
  type Slot,
  type SlotOf,
  slotsOf,
  type StartedBatch,
  underWay
} from "../../../src/run/Batch.ts"
import { digest, tree } from "./events.ts"

const queued: SlotOf<"Queued"> = { _tag: "Queued", slot: 1, attempts: 0, tries: 0 }
const running: SlotOf<"Running"> = { _tag: "Running", slot: 1, attempts: 1, tries: 1, id: "a", since: "" }
const clean: SlotOf<"Finished"> = {
  _tag: "Finished",
  slot: 1,
  attempts: 1,
  tries: 1,
  verdict: "Clean",
  reason: "",
  source: "stdout",
  findings: 0,
  files: { log: digest, out: digest, review: null }
}
const issues: SlotOf<"Finished"> = { ...clean, verdict: "HasIssues", findings: 7 }
const broken: SlotOf<"Failed"> = {
  _tag: "Failed",
  slot: 1,
  attempts: 1,
  tries: 1,
  kind: "Quota",
  transient: false,
  message: "m",
  exit: 1,
  since: ""
}
const transient: SlotOf<"Failed"> = { ...broken, kind: "RateLimited", transient: true }

const of = (slots: ReadonlyArray<Slot>, failedAt = 0): StartedBatch => ({
  _tag: "Started",
  size: slots.length,
  base: null,
  argv: [],
  identity: tree("t1"),
  slots: slots.map((slot, i) => ({ ...slot, slot: i + 1 })),
  completed: null,
  failedAt,
  stopped: false
})

const notStarted: Batch = { _tag: "NotStarted" }

describe("assess", () => {
  it("of a batch that was only opened is NotStarted", () =>
    assert.deepStrictEqual(assess(notStarted, 2), { _tag: "NotStarted" }))

  it("is Running while any reviewer runs, whatever the others are", () => {
    assert.deepStrictEqual(assess(of([clean, running, broken]), 2), {
      _tag: "Running",
      running: [{ ...running, slot: 2 }]
    })
  })

  it("is Running while a transient failure has a retry left, though nothing runs", () => {
    assert.deepStrictEqual(assess(of([clean, transient]), 1), { _tag: "Running", running: [] })
  })

  it("is Failed once the retries are spent", () => {
    assert.deepStrictEqual(assess(of([clean, { ...transient, tries: 2 }]), 1), {
      _tag: "Failed",
      failed: [{ ...transient, tries: 2, slot: 2 }],
      kept: 1
    })
  })

  it("is Failed at once with no retries at all", () =>
    assert.strictEqual(assess(of([clean, transient]), 0)._tag, "Failed"))

  it("is Failed when a slot failed for good and the others are finished, however many retries there are", () =>
    assert.deepStrictEqual(assess(of([issues, broken, clean]), 9), {
      _tag: "Failed",
      failed: [{ ...broken, slot: 2 }],
      kept: 2
    }))

  it("stays Failed once recorded as failed, though a failure was transient", () =>
    assert.strictEqual(assess(of([clean, transient], 4), 9)._tag, "Failed"))

  it("is Interrupted when reviewers were stopped and their slots wait to be run again", () =>
    assert.deepStrictEqual(assess({ ...of([clean, queued, broken]), stopped: true }, 2), {
      _tag: "Interrupted",
      queued: [{ ...queued, slot: 2 }]
    }))

  it("is Running while slots wait for their turn under a limit, though nothing runs at this moment", () =>
    assert.deepStrictEqual(assess(of([clean, queued, broken]), 2), { _tag: "Running", running: [] }))

  it("is not Interrupted by a stop that came when no slot was left to run again", () => {
    assert.strictEqual(assess({ ...of([clean, issues]), stopped: true }, 2)._tag, "Complete")
    assert.strictEqual(assess({ ...of([clean, broken]), stopped: true }, 2)._tag, "Failed")
  })

  it("is Complete with the number of reviews with issues, not of findings", () => {
    assert.deepStrictEqual(assess(of([clean, clean]), 2), { _tag: "Complete", withIssues: 0 })
    assert.deepStrictEqual(assess(of([issues, clean, issues]), 2), { _tag: "Complete", withIssues: 2 })
  })
})

describe("<COUNT>", () => {
  it("is 0 when no batch is present", () => assert.strictEqual(reviewsWithIssues(notStarted), 0))
  it("counts reviews, each once, also while others still run", () =>
    assert.strictEqual(reviewsWithIssues(of([issues, running, issues, clean, broken])), 2))
})

describe("retries", () => {
  it("are for transient failures only, and as many as allowed beside the first try", () => {
    const tries = [1, 2, 3, 4]
    assert.deepStrictEqual(tries.map((n) => mayRetry({ ...transient, tries: n }, 2)), [true, true, false, false])
    assert.deepStrictEqual(tries.map((n) => mayRetry({ ...broken, tries: n }, 2)), [false, false, false, false])
    assert.isFalse(mayRetry(transient, 0))
  })

  it("wait only in a batch that is not recorded as failed", () => {
    assert.deepStrictEqual(awaitingRetry(of([transient, broken]), 2), [transient])
    assert.deepStrictEqual(awaitingRetry(of([transient, broken], 3), 2), [])
  })
})

describe("slotsOf", () => {
  it("gives the slots of one kind in order", () =>
    assert.deepStrictEqual(slotsOf(of([clean, queued, issues]), "Finished").map(({ slot }) => slot), [1, 3]))
})

describe("what is under way", () => {
  const slots = (batch: Batch) => underWay(batch).map(({ slot }) => slot)

  it("is what runs, and what waits for another attempt", () =>
    assert.deepStrictEqual(slots(of([clean, running, transient, broken, running])), [2, 5, 3]))

  it("waits for no other attempt in a batch that has failed for good", () =>
    assert.deepStrictEqual(slots(of([transient, broken], 7)), []))

  it("is the next slot alone where a limit holds all of them back", () =>
    assert.deepStrictEqual(slots(of([clean, queued, queued])), [2]))

  it("leaves queued slots out beside what runs", () => assert.deepStrictEqual(slots(of([running, queued])), [1]))

  it("is nothing before a batch is started, after it was stopped, and once it is complete", () =>
    assert.deepStrictEqual(
      [notStarted, { ...of([clean, queued]), stopped: true }, of([clean, issues])].map(slots),
      [[], [], []]
    ))
})
