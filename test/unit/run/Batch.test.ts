// Batch: how slots of a started batch change, how a batch is assessed as a whole, and which failures are retried.
// A case of `assess` is asserted whole. That an event changes nothing else is proven in property/EvolveBatch.
import { assert, describe, it } from "vitest"
import {
  assess,
  type Batch,
  isBatchFact,
  type Slot,
  type SlotOf,
  type StartedBatch,
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

  it("is Running while any reviewer runs", () => {
    assert.deepStrictEqual(assess(of([clean, running, broken]), 2), {
      _tag: "Running",
      running: [{ ...running, slot: 2 }]
    })
  })

  it("is Running while a transient failure has a retry left, though nothing runs", () => {
    assert.deepStrictEqual(assess(of([clean, transient]), 1), { _tag: "Running", running: [] })
  })

  it("is Failed once the retries are used up", () => {
    assert.deepStrictEqual(assess(of([clean, { ...transient, tries: 2 }]), 1), {
      _tag: "Failed",
      failed: [{ ...transient, tries: 2, slot: 2 }],
      kept: 1
    })
  })

  it("is Failed when a slot failed permanently and the others are finished, whatever the retries", () =>
    assert.deepStrictEqual(assess(of([issues, broken, clean]), 9), {
      _tag: "Failed",
      failed: [{ ...broken, slot: 2 }],
      kept: 2
    }))

  it("stays Failed once it was recorded as failed", () =>
    assert.strictEqual(assess(of([clean, transient], 4), 9)._tag, "Failed"))

  it("is Interrupted when reviewers were stopped and their slots are queued", () =>
    assert.deepStrictEqual(assess({ ...of([clean, queued, broken]), stopped: true }, 2), {
      _tag: "Interrupted",
      queued: [{ ...queued, slot: 2 }]
    }))

  it("is Running while slots are queued under a limit, though nothing runs at this moment", () =>
    assert.deepStrictEqual(assess(of([clean, queued, broken]), 2), { _tag: "Running", running: [] }))

  it("is not Interrupted by a stop that left no slot queued", () => {
    assert.strictEqual(assess({ ...of([clean, issues]), stopped: true }, 2)._tag, "Complete")
    assert.strictEqual(assess({ ...of([clean, broken]), stopped: true }, 2)._tag, "Failed")
  })

  it("is Complete with the number of reviews with issues, not of findings", () => {
    assert.deepStrictEqual(assess(of([clean, clean]), 2), { _tag: "Complete", withIssues: 0 })
    assert.deepStrictEqual(assess(of([issues, clean, issues]), 2), { _tag: "Complete", withIssues: 2 })
  })
})

describe("slots under way", () => {
  const slots = (batch: Batch) => underWay(batch).map(({ slot }) => slot)

  it("are the running ones, and those that wait for another attempt", () =>
    assert.deepStrictEqual(slots(of([clean, running, transient, broken, running])), [2, 5, 3]))

  it("do not wait for another attempt in a batch that failed permanently", () =>
    assert.deepStrictEqual(slots(of([transient, broken], 7)), []))

  it("are only the next slot if a limit holds all others back", () =>
    assert.deepStrictEqual(slots(of([clean, queued, queued])), [2]))

  it("exclude queued slots while another one runs", () => assert.deepStrictEqual(slots(of([running, queued])), [1]))

  it("do not exist before a batch is started, after it was stopped, and once it is complete", () =>
    assert.deepStrictEqual(
      [notStarted, { ...of([clean, queued]), stopped: true }, of([clean, issues])].map(slots),
      [[], [], []]
    ))
})

describe("the fold of a batch", () => {
  const slots = ({ batch }: Manifest): ReadonlyArray<Slot> => batch._tag === "Started" ? batch.slots : []
  const tags = (manifest: Manifest): ReadonlyArray<string> => slots(manifest).map(({ _tag }) => _tag)

  describe("an event of a started batch", () => {
    it("is about its reviewers and its end, not about opening or leaving it", () => {
      const end: Event = { _tag: "StepAborted", signal: "SIGINT" }
      const facts = [started(), finished("Clean"), failed(), stopped(), batchCompleted(tree("t1")), batchFailed([1])]
      assert.deepStrictEqual([...facts, created(), batchStarted(), opened("low", 2), end].filter(isBatchFact), facts)
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

    it("is queued again when it is stopped, with its attempts, but without its tries", () =>
      assert.deepStrictEqual(slots(given(...lines, [stopped()]))[0], {
        _tag: "Queued",
        slot: 1,
        attempts: 1,
        tries: 0
      }))
  })

  describe("when a batch failed", () => {
    const lines = [
      [created()],
      [batchStarted({ size: 3 }), ...[1, 2, 3].map((slot) => started({ slot }))],
      [failed({ slot: 1, transient: true }), finished("Clean", { slot: 2 }), failed({ slot: 3 }), batchFailed([1, 3])]
    ]

    it("is run again with the first new attempt: failed slots are queued, finished reviews stay", () => {
      const manifest = given(...lines, [started({ slot: 1, attempt: 2 })])
      assert.deepStrictEqual(tags(manifest), ["Running", "Finished", "Queued"])
      assert.deepInclude(slots(manifest)[0], { attempts: 2, tries: 1 })
      assert.deepInclude(slots(manifest)[2], { attempts: 1, tries: 0 })
      assert.isTrue(manifest.batch._tag === "Started" && manifest.batch.failedAt === 0)
    })
  })
})
