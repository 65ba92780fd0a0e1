// Decide: given a run and what is known of the target now, then run reviews, wait, or halt with this outcome.
// The one rule: each case of the loop's table has a test here that names the decision whole.
import { assert, describe, it } from "vitest"
import { slotsOf } from "../../src/core/Batch.ts"
import {
  decide,
  type DecideContext,
  type Decision,
  differs,
  failureMessage,
  needsIdentity,
  targetChanged
} from "../../src/core/Decide.ts"
import type { Event, Identity } from "../../src/core/Event.ts"
import { addressPrompt, retrospectivePrompt } from "../../src/core/Prompt.ts"
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
} from "./facts.ts"

const paths = { findings: "/f.md", transcripts: "/t", history: "/h.md" }
const context: DecideContext = {
  ceiling: "xhigh", retries: 2, openedAt: 100, identity: tree("t1"), maxBatches: null, paths
}
const run = (lines: ReadonlyArray<ReadonlyArray<Event>>, other: Partial<DecideContext> = {}): Decision =>
  decide(given([created()], ...lines), { ...context, ...other })

const done: Decision = { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } }
const capped = (key: string): Decision => ({
  _tag: "Halt", outcome: { _tag: "StuckCapReached", action: "RunReviews", key }
})
const retrospective: Decision = {
  _tag: "Halt",
  outcome: {
    _tag: "HandoffAgent", action: "Retrospective", prompt: retrospectivePrompt("low", "low", paths)
  }
}

describe("when the current batch is not started", () => {
  it("runs its reviews", () =>
    assert.deepStrictEqual(run([]), { _tag: "RunReviews", cause: "not-started", key: "low/batch-1/not-started" }))

  it("names level and batch in the key", () =>
    assert.deepInclude(run([[opened("high", 3)]]), { key: "high/batch-3/not-started" }))

  it("halts where the run may start no further batch", () => {
    const lines = [reviewed("HasIssues"), [opened("low", 2)]]
    assert.deepInclude(run(lines, { maxBatches: 2 }), { _tag: "RunReviews" })
    assert.deepStrictEqual(run(lines, { maxBatches: 1 }), capped("low/batch-2/not-started/max-batches"))
  })
})

describe("when reviewers run", () => {
  it("waits, under a key of its own", () =>
    assert.deepStrictEqual(run([[batchStarted(), started()]]), { _tag: "AwaitReviews", key: "low/batch-1" }))

  it("waits for a retry as well", () => {
    const lines = [[batchStarted({ size: 1 }), started(), failed({ transient: true })]]
    assert.deepInclude(run(lines), { _tag: "AwaitReviews" })
    assert.deepInclude(run(lines, { retries: 0 }), { _tag: "Halt" })
  })

  it("waits while slots wait for their turn under a limit: they are started there, not by another RunReviews", () =>
    assert.deepInclude(run([[batchStarted(), started()], [finished("Clean")]]), { _tag: "AwaitReviews" }))

  it("waits whatever has become of the target", () =>
    assert.deepInclude(run([[batchStarted(), started()]], { identity: tree("t2") }), { _tag: "AwaitReviews" }))
})

describe("when reviewers were stopped", () => {
  const lines = [[batchStarted({ size: 1 }), started()], [stopped()]]

  it("ends the invocation that waited for them", () =>
    assert.deepStrictEqual(run(lines, { openedAt: 2 }), { _tag: "Halt", outcome: { _tag: "DoneAborted" } }))

  it("is taken up again by the next invocation", () =>
    assert.deepInclude(run(lines, { openedAt: 3 }), { _tag: "RunReviews", cause: "stopped-slots" }))

  it("starts a new batch instead where the target has changed: what runs again would not count", () => {
    assert.deepInclude(run(lines, { identity: tree("t2") }), { cause: "target-changed" })
    const kept = [[batchStarted(), started(), started({ slot: 2 })], [finished("Clean"), stopped({ slot: 2 })]]
    assert.deepInclude(run(kept), { cause: "stopped-slots" })
    assert.deepInclude(run(kept, { identity: tree("t2") }), { cause: "target-changed" })
    assert.deepInclude(run(kept, { identity: null }), { cause: "stopped-slots" })
  })
})

describe("when slots have failed for good", () => {
  const broken = [batchStarted(), started(), started({ slot: 2 }), failed(), finished("Clean", { slot: 2 })]
  const lines = [[...broken, batchFailed([1])]]
  const message = "1 review(s) of low batch 1 failed: slot 1: NotLoggedIn: 401 " +
    "[1 finished review(s) kept; the next invocation runs only the failed slots again]"
  const error: Decision = { _tag: "Halt", outcome: { _tag: "BinaryError", message } }

  it("is BinaryError in the invocation that commits the failure", () =>
    assert.deepStrictEqual(run(lines, { openedAt: 1 }), error))

  it("is BinaryError also while the failure is not yet recorded", () => assert.deepStrictEqual(run([broken]), error))

  it("runs only the failed slots again in the next invocation, in the same batch", () => {
    assert.deepInclude(run(lines, { openedAt: 2 }), { _tag: "RunReviews", cause: "failed-slots" })
  })

  it("starts a new batch instead where the kept reviews are about other code", () => {
    assert.deepInclude(run(lines, { identity: tree("t2") }), { _tag: "RunReviews", cause: "target-changed" })
    assert.deepStrictEqual(
      run(lines, { identity: tree("t2"), maxBatches: 1 }),
      capped("low/target-changed/max-batches")
    )
  })

  it("may run failed slots again where no further batch may be started", () =>
    assert.deepInclude(run(lines, { maxBatches: 1 }), { cause: "failed-slots" }))

  it("waits for the slots that still run", () =>
    assert.deepInclude(run([[batchStarted(), started(), started({ slot: 2 }), failed()]]), { _tag: "AwaitReviews" }))

  it("names every failed slot, and says when nothing is kept", () => {
    const none = given([created()], [
      batchStarted(), started(), started({ slot: 2 }), failed({ message: "a" }), failed({ slot: 2, message: "b" })
    ])
    assert.strictEqual(
      failureMessage(none, none.batch._tag === "Started" ? slotsOf(none.batch, "Failed") : [], 0),
      "2 review(s) of low batch 1 failed: slot 1: a; slot 2: b " +
        "[no finished review to keep; the next invocation runs only the failed slots again]"
    )
  })
})

describe("when a review has issues", () => {
  const address: Decision = {
    _tag: "Halt",
    outcome: { _tag: "HandoffAgent", action: "AddressBatch", prompt: addressPrompt(2, "low", paths) }
  }
  const lines = [reviewed("HasIssues", "Clean", "HasIssues")]

  it("hands the batch off with the count of such reviews", () => assert.deepStrictEqual(run(lines), address))

  it.each(["low", "medium", "xhigh"] as const)("does so with the ceiling %s", (ceiling) =>
    assert.deepStrictEqual(run(lines, { ceiling }), address))

  it("does so whatever the tree", () => assert.deepStrictEqual(run(lines, { identity: tree("t2") }), address))
})

describe("when all reviews are clean", () => {
  const lines = [reviewed("Clean", "Clean")]

  it("is the fixed point at the ceiling exactly", () => assert.deepStrictEqual(run(lines, { ceiling: "low" }), done))

  it("is a retrospective below the ceiling", () => assert.deepStrictEqual(run(lines), retrospective))

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
    assert.deepStrictEqual(run(lines, { identity: tree("t2") }), changed)
    assert.deepStrictEqual(run(lines, { identity: tree("t2"), ceiling: "low" }), changed)
  })

  it("is reviewed anew where it changed while the reviews ran, and back or on", () => {
    const moved = [[...reviewed("Clean"), batchCompleted(tree("t2"))]]
    for (const now of ["t1", "t2", "t3"]) {
      assert.deepInclude(run(moved, { identity: tree(now) }), { cause: "target-changed" }, now)
    }
  })

  it("has the same key in the next batch: code that keeps changing is no progress", () => {
    const next = [reviewed("Clean"), [opened("low", 2), batchStarted({ batch: 2, size: 1 }), started({ batch: 2 })], [
      finished("Clean", { batch: 2 })
    ]]
    assert.deepInclude(run(next, { identity: tree("t2") }), { key: "low/target-changed" })
  })

  it.each<[string, Identity | null]>([["unknown", { _tag: "Unknown", why: "no git" }], ["not computed", null]])(
    "stands where the identity is %s",
    (_, identity) => assert.deepStrictEqual(run(lines, { identity, ceiling: "low" }), done)
  )

  it("stands where the identity at the start was unknown", () => {
    const unknown: Identity = { _tag: "Unknown", why: "no git" }
    const blind = [[batchStarted({ size: 1, identity: unknown }), started(), finished("Clean")]]
    assert.deepStrictEqual(run(blind, { ceiling: "low" }), done)
  })

  it("halts where no further batch may be started for the changed target", () =>
    assert.deepStrictEqual(
      run(lines, { identity: tree("t2"), maxBatches: 1 }),
      capped("low/target-changed/max-batches")
    ))
})

describe("differs", () => {
  const base: Identity = { _tag: "Known", head: "h", tree: "t", base: "b" }
  it("sees each of head, tree and base", () => {
    assert.isFalse(differs(base, { ...base }))
    for (const key of ["head", "tree", "base"] as const) {
      assert.isTrue(differs(base, { ...base, [key]: "x" }), key)
      assert.isTrue(differs(base, { ...base, [key]: null }), key)
    }
  })

  it("is not forced by what is unknown", () => {
    const unknown: Identity = { _tag: "Unknown", why: "" }
    for (const pair of [[base, unknown], [unknown, base], [unknown, unknown]] as const) {
      assert.isFalse(differs(pair[0], pair[1]))
    }
  })
})

describe("the identity now", () => {
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
