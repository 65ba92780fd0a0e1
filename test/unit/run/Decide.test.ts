// Decide: given a run and what is known of the target now, then run reviews, wait, or halt with this outcome.
// The one rule: each case of the loop's table has a test here that names the decision whole.
import { assert, describe, it } from "vitest"
import { slotsOf } from "../../../src/run/Batch.ts"
import { type Decision, failureMessage } from "../../../src/run/Decide.ts"
import { capped, decided } from "./decided.ts"
import {
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
