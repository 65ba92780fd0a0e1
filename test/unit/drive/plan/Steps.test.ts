// Steps: the names of the tasks of a cycle, and the agents that work on them.
import { assert, describe, it } from "vitest"
import { fixesOf, lastOfStep, lastWorker, mendsOf, mendsSince, stepIdOf } from "../../../../src/drive/plan/Steps.ts"
import { after, cycleStarted, worked } from "./histories.ts"

const state = after(
  cycleStarted(),
  worked(1, "cycle-1/implement"),
  worked(2, "cycle-1/mend-1"),
  worked(3, "cycle-1/test"),
  worked(4, "cycle-1/mend-2", "remediate"),
  worked(5, "cycle-1/mend-2"),
  worked(6, "cycle-1/review-0", "accept", "spec-reviewer"),
  worked(7, "cycle-11/implement")
)

describe("the steps of a cycle", () => {
  it("have a name each", () => {
    const names = [
      stepIdOf(2, { _tag: "Implement" }),
      stepIdOf(2, { _tag: "Test" }),
      stepIdOf(2, { _tag: "Fix", round: 3 }),
      stepIdOf(2, { _tag: "Mend", mend: 1 }),
      stepIdOf(2, { _tag: "Review", round: 0 }),
      stepIdOf(2, { _tag: "Analyse" })
    ]
    assert.deepStrictEqual(names.map((name) => name.slice("cycle-2/".length)), [
      "implement",
      "test",
      "fix-3",
      "mend-1",
      "review-0",
      "analysis"
    ])
  })

  it("are worked on by agents of that cycle alone", () => {
    assert.strictEqual(lastWorker(state, 1)?.agent, 5)
    assert.strictEqual(lastOfStep(state, 1, { _tag: "Mend", mend: 2 })?.agent, 5)
    assert.strictEqual(lastOfStep(state, 1, { _tag: "Implement" })?.agent, 1)
    assert.isNull(lastOfStep(state, 2, { _tag: "Implement" }))
    assert.isNull(lastWorker(state, 2))
  })

  it("count each mending once, however often it was asked for", () => {
    assert.strictEqual(mendsOf(state, 1), 2)
    assert.strictEqual(mendsSince(state, 1, 3), 1)
  })

  it("count each fix once, however often it was asked for", () => {
    const fixing = after(
      worked(1, "cycle-1/fix-1", "remediate"),
      worked(2, "cycle-1/fix-1"),
      worked(3, "cycle-1/fix-2")
    )
    assert.deepStrictEqual([fixesOf(fixing, 1), fixesOf(fixing, 2), fixesOf(state, 1)], [2, 0, 0])
  })
})
