// Batch: what befalls the slots of a started batch, what every mix of them says together, and which failures are retried.
// The one rule: a case of `assess` is asserted whole; a fact by what it does to its slot and by what it leaves alone.
import { assert, describe, it } from "vitest"
import {
  assess,
  awaitingRetry,
  type Batch,
  evolveBatch,
  isBatchFact,
  mayRetry,
  reviewsWithIssues,
  type Slot,
  type SlotOf,
  slotsOf,
  type StartedBatch,
  startedBatch,
  underWay
} from "../../../src/run/Batch.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { Manifest } from "../../../src/run/Manifest.ts"
import {
  at,
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  digest,
  failed,
  finished,
  given,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "./events.ts"

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

describe("the fold of a batch", () => {
  const slots = ({ batch }: Manifest): ReadonlyArray<Slot> => batch._tag === "Started" ? batch.slots : []
  const tags = (manifest: Manifest): ReadonlyArray<string> => slots(manifest).map(({ _tag }) => _tag)

  describe("a fact of a started batch", () => {
    it("is what befalls its reviewers and how it ends, not what opens or leaves it", () => {
      const end: Event = { _tag: "StepAborted", signal: "SIGINT" }
      const facts = [started(), finished("Clean"), failed(), stopped(), batchCompleted(tree("t1")), batchFailed([1])]
      assert.deepStrictEqual([...facts, created(), batchStarted(), opened("low", 2), end].filter(isBatchFact), facts)
    })

    it("leaves the batch that it is a fact of as it was", () => {
      const event = batchStarted({ size: 2 })
      const batch = startedBatch(event)
      if (batch._tag !== "Started") return assert.fail("not started")
      assert.deepStrictEqual(batch.slots, [
        { _tag: "Queued", slot: 1, attempts: 0, tries: 0 },
        { _tag: "Queued", slot: 2, attempts: 0, tries: 0 }
      ])
      const after = evolveBatch(batch, started({ slot: 2 }), 3, at(3))
      assert.deepStrictEqual(after.slots.map(({ _tag }) => _tag), ["Queued", "Running"])
      assert.deepStrictEqual(batch, startedBatch(event))
    })
  })

  describe("when a slot is started", () => {
    const lines = [[created()], [batchStarted()], [started({ id: "x" })]]

    it("runs as that attempt since the time of the line", () =>
      assert.deepStrictEqual(slots(given(...lines))[0], {
        _tag: "Running",
        slot: 1,
        attempts: 1,
        tries: 1,
        id: "x",
        since: at(3)
      }))

    it("leaves the other slots queued", () => assert.deepStrictEqual(tags(given(...lines)), ["Running", "Queued"]))

    it("is finished with its verdict, source, findings and the digests of its files", () => {
      const review = { ...digest, hex: "cd" }
      const manifest = given(...lines, [finished("HasIssues", { review, source: "session" })])
      assert.deepStrictEqual(slots(manifest)[0], {
        _tag: "Finished",
        slot: 1,
        attempts: 1,
        tries: 1,
        verdict: "HasIssues",
        reason: "as written",
        source: "session",
        findings: 2,
        files: { log: digest, out: digest, review }
      })
    })

    it("has no digest of a review file that was not kept", () => {
      const [first] = slots(given(...lines, [finished("Clean")]))
      assert.isTrue(first?._tag === "Finished" && first.files.review === null)
    })

    it("is failed with kind, message and the time of the line", () => {
      const fault = failed({ kind: "RateLimited", transient: true, message: "429" })
      assert.deepStrictEqual(slots(given(...lines, [fault]))[0], {
        _tag: "Failed",
        slot: 1,
        attempts: 1,
        tries: 1,
        kind: "RateLimited",
        transient: true,
        message: "429",
        exit: 1,
        since: at(4)
      })
    })

    it("is queued again when it is stopped, with its attempts kept and its tries forgotten", () =>
      assert.deepStrictEqual(slots(given(...lines, [stopped()]))[0], {
        _tag: "Queued",
        slot: 1,
        attempts: 1,
        tries: 0
      }))

    const ends: ReadonlyArray<readonly [string, Event]> = [
      ["another attempt's", finished("HasIssues", { attempt: 2 })],
      ["another batch's", finished("HasIssues", { batch: 2 })],
      ["another level's", failed({ level: "high" })],
      ["a slot's that the batch has not", failed({ slot: 3 })]
    ]
    it.each(ends)(
      "hears nothing of %s end",
      (_, end) => assert.deepStrictEqual(given(...lines, [end]), given(...lines))
    )

    it("keeps its first verdict: an attempt ends once", () =>
      assert.deepStrictEqual(
        given(...lines, [finished("HasIssues")], [finished("Clean")], [failed()]),
        given(...lines, [finished("HasIssues")])
      ))
  })

  describe("when a batch was stopped", () => {
    const running = [batchStarted(), started(), started({ slot: 2 })]
    const lines = [[created()], running, [finished("Clean")], [stopped({ slot: 2 })]]
    const isStopped = ({ batch }: Manifest) => batch._tag === "Started" && batch.stopped

    it("is known as stopped until a reviewer is started again", () => {
      assert.isFalse(isStopped(given(...lines.slice(0, 3))))
      assert.isTrue(isStopped(given(...lines)))
      assert.isFalse(isStopped(given(...lines, [started({ slot: 2, attempt: 2 })])))
    })

    it("takes back the retry that a transient failure waited for", () => {
      const waiting = [[created()], [batchStarted({ size: 1 }), started()], [failed({ transient: true })]]
      const [slot] = slots(given(...waiting, [stopped()]))
      assert.deepStrictEqual(slot, { _tag: "Queued", slot: 1, attempts: 1, tries: 0 })
      assert.deepStrictEqual(slots(given(...waiting, [stopped({ attempt: 2 })])), slots(given(...waiting)))
    })

    it("keeps the verdict of an attempt that had ended before", () =>
      assert.deepInclude(slots(given(...lines, [stopped()]))[0], { _tag: "Finished", verdict: "Clean" }))
  })

  describe("when a transient failure is tried again", () => {
    it("counts attempts and tries on, and the end of the first attempt says nothing any more", () => {
      const lines = [[created()], [batchStarted(), started()], [failed({ transient: true })], [started({ attempt: 2 })]]
      assert.deepInclude(slots(given(...lines))[0], { _tag: "Running", attempts: 2, tries: 2 })
      assert.deepStrictEqual(given(...lines, [finished("Clean", { attempt: 1 })]), given(...lines))
    })
  })

  describe("when a batch has failed", () => {
    const lines = [
      [created()],
      [batchStarted({ size: 3 }), ...[1, 2, 3].map((slot) => started({ slot }))],
      [failed({ slot: 1, transient: true }), finished("Clean", { slot: 2 }), failed({ slot: 3 }), batchFailed([1, 3])]
    ]

    it("remembers the line", () => {
      const { batch } = given(...lines)
      assert.isTrue(batch._tag === "Started" && batch.failedAt === 3)
    })

    it("is run again by the first new attempt: every failed slot is queued anew, finished reviews stay", () => {
      const manifest = given(...lines, [started({ slot: 1, attempt: 2 })])
      assert.deepStrictEqual(tags(manifest), ["Running", "Finished", "Queued"])
      assert.deepInclude(slots(manifest)[0], { attempts: 2, tries: 1 })
      assert.deepInclude(slots(manifest)[2], { attempts: 1, tries: 0 })
      assert.isTrue(manifest.batch._tag === "Started" && manifest.batch.failedAt === 0)
    })

    it("is the same batch: its number and the count of batches stay", () => {
      const manifest = given(...lines, [started({ slot: 1, attempt: 2 }), started({ slot: 3, attempt: 2 })])
      assert.deepInclude(manifest, { batch_number: 1, batches: 1 })
      assert.deepStrictEqual(tags(manifest), ["Running", "Finished", "Running"])
    })
  })

  describe("when a batch is complete", () => {
    it("keeps the identity it was first seen complete with", () => {
      const { batch } = given([created()], [...reviewed("Clean"), batchCompleted(tree("t2"))])
      assert.isTrue(batch._tag === "Started" && batch.completed !== null)
      if (batch._tag === "Started") assert.deepStrictEqual([batch.identity, batch.completed], [tree("t1"), tree("t2")])
    })
  })
})
