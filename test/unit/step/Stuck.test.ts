// Stuck: the same reviews twice in a row, and the cap on iterations, with and without waits in it.
import { assert, describe, it } from "vitest"
import type { Batch } from "../../../src/run/Batch.ts"
import type { Decision } from "../../../src/run/Decide.ts"
import { defaultIterations } from "../../../src/run/StepSettings.ts"
import { batchCompleted, batchStarted, created, finished, given, started, tree } from "../run/events.ts"
import { advanced, capReached, noTurns, unlessRepeated } from "../../../src/step/Loop.ts"

const runs = (key: string): Decision => ({ _tag: "RunReviews", cause: "not-started", key })
const waits: Decision = { _tag: "AwaitReviews", key: "low/batch-1" }
const halts: Decision = { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } }

const notStarted: Batch = { _tag: "NotStarted" }

/** A reviewed batch, of the worktree or of a copy, and why it is unknown what its reviewers read, if it is. */
const reviewed = (isolated: string | null, why: string | null): Batch =>
  given([created()], [
    batchStarted(isolated === null ? { size: 1 } : { size: 1, isolated }),
    started(),
    finished("Clean"),
    batchCompleted(why === null ? tree("t2") : { _tag: "Unknown", why })
  ]).batch

/** The turns after these decisions, each acted on. */
const after = (decisions: ReadonlyArray<Decision>, maxIter: number | null = null) =>
  decisions.reduce((turns, decision) => advanced(turns, decision, maxIter), noTurns)

describe("the same reviews", () => {
  it("are not run twice in a row: StuckRepeated names them", () =>
    assert.deepStrictEqual(unlessRepeated(runs("low/stale"), after([runs("low/stale")]), notStarted), {
      _tag: "Halt",
      outcome: { _tag: "StuckRepeated", action: "RunReviews", key: "low/stale" }
    }))

  it("of code that changes again and again come with advice: to isolate it, to let it rest, or what changed the copy", () => {
    const turns = after([runs("low/target-changed")])
    const changed = "the copy of the code that reviewers read was changed while they ran: a.txt"
    const batches = [reviewed(null, null), reviewed("/copy", null), reviewed("/copy", changed)]
    const advice = batches.map((batch) => {
      const decision = unlessRepeated(runs("low/target-changed"), turns, batch)
      return decision._tag === "Halt" && decision.outcome._tag === "StuckRepeated" ? decision.outcome.advice : ""
    })
    assert.match(advice[0] ?? "", /the code changed under review .* or call with --isolate/)
    assert.match(advice[1] ?? "", /leave it unchanged while reviews run$/)
    assert.strictEqual(advice[2], changed)
  })

  it("are seen through the waits between them", () =>
    assert.strictEqual(unlessRepeated(runs("a"), after([runs("a"), waits, waits]), notStarted)._tag, "Halt"))

  it("may be run again once others have been", () =>
    assert.deepStrictEqual(unlessRepeated(runs("a"), after([runs("a"), runs("b")]), notStarted), runs("a")))

  it("are run the first time", () => assert.deepStrictEqual(unlessRepeated(runs("a"), noTurns, notStarted), runs("a")))

  it("stop neither a wait nor a halt", () => {
    const turns = after([runs(waits.key)])
    assert.deepStrictEqual([waits, halts].map((decision) => unlessRepeated(decision, turns, notStarted)), [
      waits,
      halts
    ])
  })
})

describe("the cap", () => {
  const runsOf = (count: number) => Array.from({ length: count }, (_, i) => runs(String(i)))

  it("is reached by the action that spends the last iteration, and named after it", () => {
    for (const [maxIter, cap] of [[2, 2], [null, defaultIterations]] as const) {
      assert.isNull(capReached(after(runsOf(cap - 1), maxIter), runs("a"), maxIter))
      assert.deepStrictEqual(capReached(after(runsOf(cap), maxIter), runs("b"), maxIter), {
        _tag: "StuckCapReached",
        action: "RunReviews",
        key: "b"
      })
    }
  })

  it("that was given counts waits, also where it is the default", () => {
    for (const cap of [2, defaultIterations]) {
      const steps = [runs("a"), ...Array.from({ length: cap - 1 }, () => waits)]
      assert.deepStrictEqual(capReached(after(steps, cap), waits, cap), {
        _tag: "StuckCapReached",
        action: "AwaitReviews",
        key: waits.key
      })
    }
  })

  it("that was not given counts no wait, however many there are", () => {
    const long = after([runs("a"), ...Array.from({ length: 100 }, () => waits)])
    assert.deepStrictEqual([long.iterations, capReached(long, waits, null)], [1, null])
  })

  it("takes the place of no halt", () => assert.isNull(capReached({ iterations: 9, lastRun: null }, halts, 1)))

  it("is not spent by a halt", () => assert.deepStrictEqual(after([runs("a"), halts]), after([runs("a")])))
})
