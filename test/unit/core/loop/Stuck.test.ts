// Stuck: the same reviews twice in a row, and the cap on iterations, with and without waits in it.
import { assert, describe, it } from "vitest"
import type { Decision } from "../../../../src/core/loop/Decide.ts"
import { advanced, capReached, noProgress, unlessRepeated } from "../../../../src/core/loop/Stuck.ts"

const runs = (key: string): Decision => ({ _tag: "RunReviews", cause: "not-started", key })
const waits: Decision = { _tag: "AwaitReviews", key: "low/batch-1" }
const halts: Decision = { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } }
const given = (value: number) => ({ value, explicit: true })
const byDefault = (value: number) => ({ value, explicit: false })

/** The progress after these decisions, each acted on. */
const after = (decisions: ReadonlyArray<Decision>, cap = byDefault(50)) =>
  decisions.reduce((progress, decision) => advanced(progress, decision, cap), noProgress)

describe("the same reviews", () => {
  it("are not run twice in a row: StuckRepeated names them", () =>
    assert.deepStrictEqual(unlessRepeated(runs("low/target-changed"), after([runs("low/target-changed")])), {
      _tag: "Halt",
      outcome: { _tag: "StuckRepeated", action: "RunReviews", key: "low/target-changed" }
    }))

  it("are seen through the waits between them", () =>
    assert.strictEqual(unlessRepeated(runs("a"), after([runs("a"), waits, waits]))._tag, "Halt"))

  it("may be run again once others have been", () =>
    assert.deepStrictEqual(unlessRepeated(runs("a"), after([runs("a"), runs("b")])), runs("a")))

  it("are run the first time", () => assert.deepStrictEqual(unlessRepeated(runs("a"), noProgress), runs("a")))

  it("stop neither a wait nor a halt", () => {
    const progress = after([runs(waits.key)])
    assert.deepStrictEqual([waits, halts].map((decision) => unlessRepeated(decision, progress)), [waits, halts])
  })
})

describe("the cap", () => {
  it("is reached by the action that spends the last iteration, and named after it", () => {
    const two = [runs("a"), runs("b")]
    assert.isNull(capReached(after(two.slice(0, 1)), runs("a"), byDefault(2)))
    assert.deepStrictEqual(capReached(after(two), runs("b"), byDefault(2)), {
      _tag: "StuckCapReached",
      action: "RunReviews",
      key: "b"
    })
  })

  it("that was given counts waits", () =>
    assert.deepStrictEqual(capReached(after([runs("a"), waits], given(2)), waits, given(2)), {
      _tag: "StuckCapReached",
      action: "AwaitReviews",
      key: waits.key
    }))

  it("that was not given counts no wait, however many there are", () => {
    const long = after([runs("a"), ...Array.from({ length: 100 }, () => waits)])
    assert.deepStrictEqual([long.iterations, capReached(long, waits, byDefault(2))], [1, null])
  })

  it("takes the place of no halt", () => assert.isNull(capReached({ iterations: 9, lastRun: null }, halts, given(1))))

  it("is not spent by a halt", () => assert.deepStrictEqual(after([runs("a"), halts]), after([runs("a")])))
})
