// Decide: given a run and what is known of the target now, then run reviews, wait, or halt with this outcome.
// The one rule: a clean batch is acted on only for the code it saw; a batch with issues whatever the code.
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

/** An invocation that began long after every line, of code that is as the reviews saw it. */
const context: DecideContext = {
  ceiling: "xhigh",
  retries: 2,
  openedAt: 100,
  identity: tree("t1"),
  maxBatches: null,
  paths: { findings: "/f.md", transcripts: "/t", logs: ["/t/low-1.log"], history: "/h.md" }
}

/** The decision for a run whose creation is followed by these lines. */
const decided = (
  lines: ReadonlyArray<ReadonlyArray<Event>>,
  other: Partial<DecideContext> = {}
): Decision => decide(given([created()], ...lines), { ...context, ...other })

/** The halt of a run that may not do more. */
const capped = (key: string): Decision => ({
  _tag: "Halt",
  outcome: { _tag: "StuckCapReached", action: "RunReviews", key }
})

describe("when the current batch is not started", () => {
  it("runs its reviews", () =>
    assert.deepStrictEqual(decided([]), { _tag: "RunReviews", cause: "not-started", key: "low/batch-1/not-started" }))

  it("names level and batch in the key", () =>
    assert.deepInclude(decided([[opened("high", 3)]]), { key: "high/batch-3/not-started" }))

  it("halts where the run may start no further batch", () => {
    const lines = [reviewed("HasIssues"), [opened("low", 2)]]
    assert.deepInclude(decided(lines, { maxBatches: 2 }), { _tag: "RunReviews" })
    assert.deepStrictEqual(decided(lines, { maxBatches: 1 }), capped("low/batch-2/not-started/max-batches"))
  })
})

describe("when reviewers run", () => {
  it("waits, under a key of its own", () =>
    assert.deepStrictEqual(decided([[batchStarted(), started()]]), { _tag: "AwaitReviews", key: "low/batch-1" }))

  it("waits for a retry as well", () => {
    const lines = [[batchStarted({ size: 1 }), started(), failed({ transient: true })]]
    assert.deepInclude(decided(lines), { _tag: "AwaitReviews" })
    assert.deepInclude(decided(lines, { retries: 0 }), { _tag: "Halt" })
  })

  it("waits while slots wait for their turn under a limit: they are started there, not by another RunReviews", () =>
    assert.deepInclude(decided([[batchStarted(), started()], [finished("Clean")]]), { _tag: "AwaitReviews" }))

  it("waits whatever has become of the target", () =>
    assert.deepInclude(decided([[batchStarted(), started()]], { identity: tree("t2") }), { _tag: "AwaitReviews" }))
})

describe("when reviewers were stopped", () => {
  const lines = [[batchStarted({ size: 1 }), started()], [stopped()]]

  it("ends the invocation that waited for them", () =>
    assert.deepStrictEqual(decided(lines, { openedAt: 2 }), { _tag: "Halt", outcome: { _tag: "DoneAborted" } }))

  it("is taken up again by the next invocation", () =>
    assert.deepInclude(decided(lines, { openedAt: 3 }), { _tag: "RunReviews", cause: "stopped-slots" }))

  it("starts a new batch instead where the target has changed: what runs again would not count", () => {
    assert.deepInclude(decided(lines, { identity: tree("t2") }), { cause: "target-changed" })
    const kept = [[batchStarted(), started(), started({ slot: 2 })], [finished("Clean"), stopped({ slot: 2 })]]
    assert.deepInclude(decided(kept), { cause: "stopped-slots" })
    assert.deepInclude(decided(kept, { identity: tree("t2") }), { cause: "target-changed" })
    assert.deepInclude(decided(kept, { identity: null }), { cause: "stopped-slots" })
  })
})

describe("when slots have failed for good", () => {
  const broken = [batchStarted(), started(), started({ slot: 2 }), failed(), finished("Clean", { slot: 2 })]
  const lines = [[...broken, batchFailed([1])]]
  const message = "1 review(s) of low batch 1 failed: slot 1 exited 1: NotLoggedIn: 401, transcript /t/low-1.log " +
    "[1 finished review(s) kept; the next invocation runs only the failed slots again]"
  const error: Decision = { _tag: "Halt", outcome: { _tag: "BinaryError", message } }

  it("is BinaryError in the invocation that commits the failure", () =>
    assert.deepStrictEqual(decided(lines, { openedAt: 1 }), error))

  it("is BinaryError also while the failure is not yet recorded", () =>
    assert.deepStrictEqual(decided([broken]), error))

  it("runs only the failed slots again in the next invocation, in the same batch", () => {
    assert.deepInclude(decided(lines, { openedAt: 2 }), { _tag: "RunReviews", cause: "failed-slots" })
  })

  it("starts a new batch instead where the kept reviews are about other code", () => {
    assert.deepInclude(decided(lines, { identity: tree("t2") }), { _tag: "RunReviews", cause: "target-changed" })
    assert.deepStrictEqual(
      decided(lines, { identity: tree("t2"), maxBatches: 1 }),
      capped("low/target-changed/max-batches")
    )
  })

  it("starts a new batch instead where the private repository that was reviewed is gone", () =>
    assert.deepInclude(decided(lines, { lost: true }), { _tag: "RunReviews", cause: "target-changed" }))

  it("may run failed slots again where no further batch may be started", () =>
    assert.deepInclude(decided(lines, { maxBatches: 1 }), { cause: "failed-slots" }))

  it("waits for the slots that still run", () =>
    assert.deepInclude(decided([[batchStarted(), started(), started({ slot: 2 }), failed()]]), {
      _tag: "AwaitReviews"
    }))

  it("names every failed slot with its exit status and its transcript, where it left one, and says when nothing is kept", () => {
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

    it("hands the batch off with the count of such reviews", () => assert.deepStrictEqual(decided(lines), address))

    it.each(["low", "medium", "xhigh"] as const)(
      "does so with the ceiling %s",
      (ceiling) => assert.deepStrictEqual(decided(lines, { ceiling }), address)
    )

    it("does so whatever the tree", () => assert.deepStrictEqual(decided(lines, { identity: tree("t2") }), address))
  })

  describe("when all reviews are clean", () => {
    const lines = [reviewed("Clean", "Clean")]

    it("is the fixed point at the ceiling exactly", () =>
      assert.deepStrictEqual(decided(lines, { ceiling: "low" }), done))

    it("is a retrospective below the ceiling", () => assert.deepStrictEqual(decided(lines), retrospective))

    it("is a retrospective above the ceiling as well, never the fixed point", () => {
      const above = given([created()], [
        opened("high", 1),
        batchStarted({ level: "high", size: 1 }),
        started({ level: "high" }),
        finished("Clean", { level: "high" })
      ])
      assert.deepStrictEqual(decide(above, { ...context, ceiling: "medium" }), {
        _tag: "Halt",
        outcome: { _tag: "HandoffAgent", action: "Retrospective", prompt: retrospectivePrompt("high", "low", paths) }
      })
    })

    it("is reviewed anew where the target has changed since the batch began", () => {
      const changed: Decision = { _tag: "RunReviews", cause: "target-changed", key: "low/target-changed" }
      assert.deepStrictEqual(decided(lines, { identity: tree("t2") }), changed)
      assert.deepStrictEqual(decided(lines, { identity: tree("t2"), ceiling: "low" }), changed)
    })

    it("is reviewed anew where it changed while the reviews ran, and back or on", () => {
      const moved = [[...reviewed("Clean"), batchCompleted(tree("t2"))]]
      for (const now of ["t1", "t2", "t3"]) {
        assert.deepInclude(decided(moved, { identity: tree(now) }), { cause: "target-changed" }, now)
      }
    })

    it("has the same key in the next batch: code that keeps changing is no progress", () => {
      const next = [reviewed("Clean"), [opened("low", 2), batchStarted({ batch: 2, size: 1 }), started({ batch: 2 })], [
        finished("Clean", { batch: 2 })
      ]]
      assert.deepInclude(decided(next, { identity: tree("t2") }), { key: "low/target-changed" })
    })

    it.each<[string, Identity | null]>([["unknown", { _tag: "Unknown", why: "no git" }], ["not computed", null]])(
      "stays where the identity is %s",
      (_, identity) => assert.deepStrictEqual(decided(lines, { identity, ceiling: "low" }), done)
    )

    it("is valid if the identity at the start was unknown", () => {
      const unknown: Identity = { _tag: "Unknown", why: "no git" }
      const blind = [[batchStarted({ size: 1, identity: unknown }), started(), finished("Clean")]]
      assert.deepStrictEqual(decided(blind, { ceiling: "low" }), done)
    })

    it("halts where no further batch may be started for the changed target", () =>
      assert.deepStrictEqual(
        decided(lines, { identity: tree("t2"), maxBatches: 1 }),
        capped("low/target-changed/max-batches")
      ))
  })

  describe("the identity now", () => {
    it("cannot make up for code that is known to have changed under review", () => {
      const clean = given([created()], [...reviewed("Clean"), batchCompleted(tree("t2"))])
      const unknown: Identity = { _tag: "Unknown", why: "no git" }
      for (const now of [unknown, tree("t1"), tree("t2"), null]) assert.isTrue(targetChanged(clean, now))
      assert.isFalse(targetChanged(given([created()], [...reviewed("Clean"), batchCompleted(unknown)]), unknown))
    })

    it("says nothing about a batch that is not started", () =>
      assert.isFalse(targetChanged(given([created()]), tree("t2"))))

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
