// Model: a run as the contract speaks of it, its rungs and batches, and the parts that reviewers play.
import { assert, describe, it } from "vitest"
import {
  changed,
  count,
  down,
  duration,
  moved,
  opened,
  partOf,
  type Run,
  up
} from "../../../../src/testing/model/Model.ts"

const started = (run: Run): Run => ({ ...run, slots: [{ is: "clean", attempts: 1 }], began: "code-1", ended: "code-1" })
const fresh = opened({ run: null, code: "code-1", now: 0 }, "low", "loop")

describe("a run", () => {
  it("begins at its floor with a batch that was not started", () =>
    assert.deepInclude(opened({ run: null, code: "c", now: 0 }, "high", "mark"), {
      floor: "high",
      level: "high",
      batch: 1,
      slots: null,
      top: { low: 0, medium: 0, high: 1, xhigh: 0 }
    }))

  it("is gone on with, unless it is of another floor or a new one is asked for", () => {
    const model = { run: moved(fresh, "medium"), code: "code-1", now: 0 }
    assert.strictEqual(opened(model, "low", "loop"), model.run)
    assert.strictEqual(opened(model, "low", "mark"), model.run)
    assert.deepInclude(opened(model, "medium", "loop"), { floor: "medium", batch: 1 })
    assert.deepStrictEqual(opened(model, "low", "fresh"), fresh)
  })

  it("at its fixed point is replaced by the loop alone, and only for another code", () => {
    const run = { ...started(fresh), fixed: true }
    assert.strictEqual(opened({ run, code: "code-1", now: 0 }, "low", "loop"), run)
    assert.strictEqual(opened({ run, code: "code-2", now: 0 }, "low", "mark"), run)
    assert.deepStrictEqual(opened({ run, code: "code-2", now: 0 }, "low", "loop"), fresh)
  })

  it("counts the batches of a level on, and leaves its fixed point and its slots behind", () => {
    const next = moved(moved({ ...started(fresh), fixed: true }, "medium"), "low")
    assert.deepInclude(next, { level: "low", batch: 2, slots: null, fixed: false })
    assert.deepStrictEqual(next.top, { low: 2, medium: 1, high: 0, xhigh: 0 })
  })

  it("is of changed code where that is another than at the batch's start or end", () => {
    assert.isFalse(changed(fresh, "code-2"))
    assert.isFalse(changed(started(fresh), "code-1"))
    assert.isTrue(changed(started(fresh), "code-2"))
    assert.isTrue(changed({ ...started(fresh), ended: "code-2" }, "code-1"))
  })
})

describe("the rungs", () => {
  it("end at xhigh and at the floor", () => {
    assert.deepStrictEqual([up("low"), up("xhigh")], ["medium", "xhigh"])
    assert.deepStrictEqual([down("high", "low"), down("medium", "medium"), down("low", "low")], [
      "medium",
      "medium",
      "low"
    ])
  })
})

describe("a part", () => {
  it("is played in turn by slot and attempt", () => {
    const parts = [{ says: "clean", slow: false }, { says: "issues", slow: false }] as const
    assert.deepStrictEqual(
      [[1, 1], [2, 1], [1, 2], [3, 1]].map(([slot = 0, attempt = 0]) => partOf(parts, slot, attempt).says),
      [
        "clean",
        "issues",
        "issues",
        "clean"
      ]
    )
    assert.deepStrictEqual(partOf([], 1, 1), { says: "clean", slow: false })
  })

  it("takes its time, unless it passes or never ends", () => {
    assert.isAbove(duration({ says: "clean", slow: true }), duration({ says: "clean", slow: false }))
    assert.strictEqual(duration({ says: "transient failure", slow: true }), duration({ says: "clean", slow: false }))
    assert.strictEqual(duration({ says: "silence", slow: false }), Number.POSITIVE_INFINITY)
  })

  it("counts slots by what they are", () => {
    assert.strictEqual(count([{ is: "clean", attempts: 1 }, { is: "queued", attempts: 0 }], "clean"), 1)
    assert.strictEqual(count(null, "clean"), 0)
  })
})
