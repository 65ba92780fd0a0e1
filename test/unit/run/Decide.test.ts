// Decide: from a run and the present target: run reviews, wait, or halt with an outcome.
// A clean batch only counts for the code that it saw; a batch with issues counts for any code.
import { assert, describe, it } from "vitest"
import { slotsOf } from "../../../src/run/Batch.ts"
import {
  decide,
  type DecideContext,
  type Decision,
  failureMessage,
  needsIdentity,
  targetChanged
} from "../../../src/run/Decide.ts"
import type { Event } from "../../../src/run/Event.ts"
import type { Identity } from "../../../src/run/Identity.ts"
import { addressPrompt, retrospectivePrompt } from "../../../src/run/words.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  failed,
  finished,
  given,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "./events.ts"

/** A call that began long after every line, with the code that the reviews saw. */
const context: DecideContext = {
  ceiling: "xhigh",
  retries: 2,
  openedAt: 100,
  identity: tree("t1"),
  maxBatches: null,
  paths: { findings: "/f.md", transcripts: "/t", logs: ["/t/low-1.log"], history: "/h.md" }
}

/** The decision for a run with these lines after its creation. */
const decided = (
  lines: ReadonlyArray<ReadonlyArray<Event>>,
  other: Partial<DecideContext> = {}
): Decision => decide(given([created()], ...lines), { ...context, ...other })

/** The halt of a run that reached its limit. */
const capped = (key: string): Decision => ({
  _tag: "Halt",
  outcome: { _tag: "StuckCapReached", action: "RunReviews", key }
})

describe("when the current batch is not started", () => {
  it("runs its reviews", () =>
    assert.deepStrictEqual(decided([]), { _tag: "RunReviews", cause: "not-started", key: "low/batch-1/not-started" }))

  it("halts if the run may not start another batch", () => {
    const lines = [reviewed("HasIssues"), [opened("low", 2)]]
    assert.deepInclude(decided(lines, { maxBatches: 2 }), { _tag: "RunReviews" })
    assert.deepStrictEqual(decided(lines, { maxBatches: 1 }), capped("low/batch-2/not-started/max-batches"))
  })
})

describe("when reviewers run", () => {
  it("waits, with its own key", () =>
    assert.deepStrictEqual(decided([[batchStarted(), started()]]), { _tag: "AwaitReviews", key: "low/batch-1" }))

  it("waits for a retry too", () => {
    const lines = [[batchStarted({ size: 1 }), started(), failed({ transient: true })]]
    assert.deepInclude(decided(lines), { _tag: "AwaitReviews" })
    assert.deepInclude(decided(lines, { retries: 0 }), { _tag: "Halt" })
  })

  it("waits while slots are queued under a limit: the wait starts them, not another RunReviews", () =>
    assert.deepInclude(decided([[batchStarted(), started()], [finished("Clean")]]), { _tag: "AwaitReviews" }))
})

describe("when reviewers were stopped", () => {
  const lines = [[batchStarted({ size: 1 }), started()], [stopped()]]

  it("ends the call that waited for them", () =>
    assert.deepStrictEqual(decided(lines, { openedAt: 2 }), { _tag: "Halt", outcome: { _tag: "DoneAborted" } }))

  it("is continued by the next call", () =>
    assert.deepInclude(decided(lines, { openedAt: 3 }), { _tag: "RunReviews", cause: "stopped-slots" }))

  it("starts a new batch if the target changed, because the old reviews would not count", () => {
    assert.deepInclude(decided(lines, { identity: tree("t2") }), { cause: "target-changed" })
    const kept = [[batchStarted(), started(), started({ slot: 2 })], [finished("Clean"), stopped({ slot: 2 })]]
    assert.deepInclude(decided(kept), { cause: "stopped-slots" })
    assert.deepInclude(decided(kept, { identity: tree("t2") }), { cause: "target-changed" })
    assert.deepInclude(decided(kept, { identity: null }), { cause: "stopped-slots" })
  })
})

describe("when slots failed permanently", () => {
  const broken = [batchStarted(), started(), started({ slot: 2 }), failed(), finished("Clean", { slot: 2 })]
  const lines = [[...broken, batchFailed([1])]]
  const message = "1 review(s) of low batch 1 failed: slot 1 exited 1: NotLoggedIn: 401, transcript /t/low-1.log " +
    "[1 finished review(s) kept; the next invocation runs only the failed slots again]"
  const error: Decision = { _tag: "Halt", outcome: { _tag: "BinaryError", message, reviews: 1 } }

  it("is a BinaryError in the call that records the failure", () =>
    assert.deepStrictEqual(decided(lines, { openedAt: 1 }), error))

  it("is a BinaryError even before the failure is recorded", () => assert.deepStrictEqual(decided([broken]), error))

  it("runs only the failed slots again in the next call, in the same batch", () => {
    assert.deepInclude(decided(lines, { openedAt: 2 }), { _tag: "RunReviews", cause: "failed-slots" })
  })

  it("starts a new batch if the kept reviews are about other code", () => {
    assert.deepInclude(decided(lines, { identity: tree("t2") }), { _tag: "RunReviews", cause: "target-changed" })
    assert.deepStrictEqual(
      decided(lines, { identity: tree("t2"), maxBatches: 1 }),
      capped("low/target-changed/max-batches")
    )
  })

  it("starts a new batch if the reviewed private repository is gone", () =>
    assert.deepInclude(decided(lines, { lost: true }), { _tag: "RunReviews", cause: "target-changed" }))

  it("names every failed slot with its exit status and its transcript, and says when nothing is kept", () => {
    const none = given([created()], [
      batchStarted(),
      started(),
      started({ slot: 2 }),
      failed({ message: "a", exit: 3 }),
      failed({ slot: 2, kind: "Unstarted", message: "b", exit: null })
    ])
    assert.strictEqual(
      failureMessage(none, none.batch._tag === "Started" ? slotsOf(none.batch, "Failed") : [], 0, [
        "/1.log",
        "/2\n.log"
      ]),
      "2 review(s) of low batch 1 failed: slot 1 exited 3: a, transcript /1.log; slot 2: b " +
        "[no finished review to keep; the next invocation runs only the failed slots again]"
    )
  })
})

describe("when all reviews are in", () => {
  const { paths } = context
  const done: Decision = { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } }

  const retrospective: Decision = {
    _tag: "Halt",
    outcome: {
      _tag: "HandoffAgent",
      action: "Retrospective",
      prompt: retrospectivePrompt("low", "low", paths)
    }
  }

  describe("when a review has issues", () => {
    const address: Decision = {
      _tag: "Halt",
      outcome: { _tag: "HandoffAgent", action: "AddressBatch", prompt: addressPrompt(2, "low", paths) }
    }
    const lines = [reviewed("HasIssues", "Clean", "HasIssues")]

    it("hands the batch off with the number of reviews with issues", () =>
      assert.deepStrictEqual(decided(lines), address))
  })

  describe("when all reviews are clean", () => {
    const lines = [reviewed("Clean", "Clean")]

    it("is the fixed point exactly at the ceiling", () =>
      assert.deepStrictEqual(decided(lines, { ceiling: "low" }), done))

    it("is a retrospective below the ceiling", () => assert.deepStrictEqual(decided(lines), retrospective))

    it("is reviewed again if the target changed since the batch began", () => {
      const changed: Decision = { _tag: "RunReviews", cause: "target-changed", key: "low/target-changed" }
      assert.deepStrictEqual(decided(lines, { identity: tree("t2") }), changed)
      assert.deepStrictEqual(decided(lines, { identity: tree("t2"), ceiling: "low" }), changed)
    })

    it("is valid if the identity at the start was unknown", () => {
      const unknown: Identity = { _tag: "Unknown", why: "no git" }
      const blind = [[batchStarted({ size: 1, identity: unknown }), started(), finished("Clean")]]
      assert.deepStrictEqual(decided(blind, { ceiling: "low" }), done)
    })

    it("halts if no further batch may be started for the changed target", () =>
      assert.deepStrictEqual(
        decided(lines, { identity: tree("t2"), maxBatches: 1 }),
        capped("low/target-changed/max-batches")
      ))
  })

  describe("the present identity", () => {
    it("does not make up for code that changed under review", () => {
      const clean = given([created()], [...reviewed("Clean"), batchCompleted(tree("t2"))])
      const unknown: Identity = { _tag: "Unknown", why: "no git" }
      for (const now of [unknown, tree("t1"), tree("t2"), null]) assert.isTrue(targetChanged(clean, now))
      assert.isFalse(targetChanged(given([created()], [...reviewed("Clean"), batchCompleted(unknown)]), unknown))
    })

    const cases: ReadonlyArray<readonly [string, ReadonlyArray<Event>, boolean]> = [
      ["a batch that is not started", [], false],
      ["reviewers that run", [batchStarted(), started()], false],
      ["a clean batch", reviewed("Clean"), true],
      ["a batch with issues", reviewed("Clean", "HasIssues"), false],
      ["slots that wait for their turn", [batchStarted(), started(), finished("Clean")], false],
      ["stopped slots", [batchStarted(), started(), stopped()], true],
      ["failed slots", [batchStarted({ size: 1 }), started(), failed()], true]
    ]
    for (const [name, events, needed] of cases) {
      it(`is ${needed ? "" : "not "}needed for ${name}`, () =>
        assert.strictEqual(needsIdentity(given([created()], events), 2), needed))
    }
  })
})
