// Called: what a call of loop mode comes to, by the contract: the outcome, and the run afterwards.
import { assert, describe, it } from "vitest"
import { called, inspected, slow, stepTimeout } from "../../../../src/testing/model/Model.ts"
import { call, clean, flawed, parts, run, runs, world } from "./someRuns.ts"

const outcome = (...args: Parameters<typeof called>): string => called(...args).outcome

describe("a call of a new run", () => {
  it.each([
    ["at the ceiling is the fixed point", call(), "DoneFixedPoint"],
    ["below it hands off a retrospective", call({ ceiling: "high" }), "HandoffAgent: Retrospective at low"],
    [
      "with issues hands them off, counted",
      call({ size: 3, parts: parts("issues") }),
      "HandoffAgent: AddressBatch of 3 at low"
    ],
    ["with a failure fails", call({ size: 2, parts: parts("clean", "failure") }), "BinaryError"],
    ["with a reviewer that says nothing fails", call({ parts: parts("no review") }), "BinaryError"],
    ["with a hanging one fails", call({ parts: parts("silence") }), "BinaryError"],
    ["with a failure that passes goes on", call({ parts: parts("transient failure", "clean") }), "DoneFixedPoint"],
    [
      "that is bounded is idle while a reviewer runs",
      call({ bounded: true, parts: [{ says: "clean", slow: true }] }),
      "Idle"
    ]
  ])("%s", (_, given, expected) => assert.strictEqual(outcome(world(null), given), expected))

  it("stands afterwards where its reviews leave it", () => {
    const { run } = called(world(null), call({ size: 2, parts: parts("clean", "failure") }))
    assert.deepStrictEqual(run.slots, [{ is: "clean", attempts: 1 }, { is: "failed", attempts: 1 }])
    assert.deepInclude(run, { reported: true, fixed: false, began: "code-1", ended: null })
  })
})

describe("a call of a run that stands somewhere", () => {
  it("runs a failed slot again once its failure was told, and keeps the others", () => {
    const failed = run([clean, { is: "failed", attempts: 1 }], { reported: true })
    assert.deepStrictEqual(called(world(failed), call({ size: 2 })).run.slots, [clean, { is: "clean", attempts: 2 }])
    assert.strictEqual(outcome(world({ ...failed, reported: false }), call({ size: 2 })), "BinaryError")
  })

  it("reviews changed code in the next batch, unless there are issues to hand off", () => {
    const changed = called(world(run([clean], { ended: "code-1" }), { code: "code-2" }), call())
    assert.deepInclude(changed.run, { batch: 2, began: "code-2", fixed: true })
    assert.strictEqual(
      outcome(world(run([flawed], { ended: "code-1" }), { code: "code-2" }), call()),
      "HandoffAgent: AddressBatch of 1 at low"
    )
  })

  it("begins anew where a fixed point is of other code, or a new run is asked for", () => {
    const fixed = run([clean], { ended: "code-1", fixed: true })
    assert.deepInclude(called(world(fixed, { code: "code-2" }), call()).run, { began: "code-2", batch: 1 })
    assert.deepInclude(called(world(fixed), call({ fresh: true, parts: parts("issues") })).run, { fixed: false })
  })

  it("waits for a reviewer that runs, and takes it in", () => {
    const running = world(run([runs("issues", 400)]), { now: 100 })
    assert.strictEqual(outcome(running, call()), "HandoffAgent: AddressBatch of 1 at low")
  })

  it("is unsure where a reviewer is started right before the step's end", () => {
    const late = world(run([runs("transient failure", stepTimeout - 100)]))
    assert.isTrue(called(late, call({ bounded: true })).unsure)
    assert.isFalse(called(world(null), call({ bounded: true, parts: [{ says: "clean", slow: true }] })).unsure)
    assert.isAbove(slow, stepTimeout)
  })
})

describe("a look", () => {
  it.each([
    ["before anything", null, "WouldAdvance"],
    ["at a batch that runs", run([runs("clean", 500)]), "WouldAdvance"],
    ["at a failure that was not told", run([{ is: "failed", attempts: 1 }]), "BinaryError"],
    ["at a failure that was told", run([{ is: "failed", attempts: 1 }], { reported: true }), "WouldAdvance"],
    ["at issues", run([flawed]), "HandoffAgent: AddressBatch of 1 at low"],
    ["at a clean batch of other code", run([clean], { began: "code-0" }), "WouldAdvance"],
    ["at a clean batch", run([clean]), "DoneFixedPoint"]
  ])("%s says what comes next", (_, one, expected) => assert.strictEqual(inspected(world(one), call()), expected))

  it("takes in what has ended", () =>
    assert.strictEqual(inspected(world(run([runs("clean", 500)]), { now: 500 }), call()), "DoneFixedPoint"))
})
