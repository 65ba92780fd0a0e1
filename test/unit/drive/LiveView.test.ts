// LiveView: the lines of a driven run for a person, at 80 and at 200 columns.
import { assert, describe, it } from "vitest"
import { headLines, type InPlan, type LiveView, markOf, type OnLadder, placeText } from "../../../src/drive/LiveView.ts"

const ladder: OnLadder = {
  _tag: "OnLadder",
  floor: "low",
  level: "medium",
  ceiling: "xhigh",
  batch: 3,
  round: { number: 5, open: true, findings: 2 }
}
const view: LiveView = {
  place: ladder,
  used: { rounds: 5, time: 723_000, tokens: 1_540_000 },
  limits: { maxRounds: 20, maxTime: 3_600_000, maxTokens: 5_000_000 },
  byAgents: 312_000,
  work: []
}
const place = "low [medium] high xhigh  batch 3  round 5  2 open findings"
const cost = "used: 5 of 20 rounds, 12m03s of 1h00m, 1.5M of 5M tokens (312k by agents)"

describe("what is told of a driven run", () => {
  it("stands on two lines of 80 columns", () => assert.deepStrictEqual(headLines(view, 79), [place, cost]))
  it("stands on one of 200", () => assert.deepStrictEqual(headLines(view, 199), [`${place}    ${cost}`]))
  it("stands on one exactly where that fits", () => {
    const both = place.length + 4 + cost.length
    assert.lengthOf(headLines(view, both), 1)
    assert.lengthOf(headLines(view, both - 1), 2)
  })
  it("has no limits where none is set, and no agents where none has used anything", () =>
    assert.deepStrictEqual(
      headLines({
        ...view,
        byAgents: 0,
        used: { rounds: 1, time: 9000, tokens: 0 },
        limits: { maxRounds: null, maxTime: null, maxTokens: null }
      }, 79)[1],
      "used: 1 round, 9s, 0 tokens"
    ))
  it("before the first round, between two, and in one about a clean level", () => {
    const first = (change: Partial<OnLadder>) => placeText({ ...view, place: { ...ladder, ...change } })
    assert.strictEqual(first({ round: null }), "low [medium] high xhigh  batch 3")
    assert.strictEqual(
      first({ round: { number: 1, open: false, findings: 2 } }),
      "low [medium] high xhigh  batch 3  1 round done"
    )
    assert.strictEqual(
      first({ round: { number: 6, open: true, findings: 0 } }),
      "low [medium] high xhigh  batch 3  round 6"
    )
  })
  it("shows the levels from the floor to the ceiling, or the present one alone to who does not know the ceiling", () => {
    const first = (change: Partial<OnLadder>) => placeText({ ...view, place: { ...ladder, round: null, ...change } })
    assert.strictEqual(first({ floor: "medium", ceiling: "high" }), "[medium] high  batch 3")
    assert.strictEqual(first({ ceiling: null }), "level medium  batch 3")
    assert.strictEqual(markOf(view), "[medium]")
  })
})

describe("what is told of a plan", () => {
  const two = [{ index: 0, title: "Add" }, { index: 3, title: "Sum" }]
  const cycle = { number: 2, open: true, round: 0, tasks: two }
  const place: InPlan = { _tag: "InPlan", plan: "plan.md", cycle, done: 1, pending: 4 }
  const plan: LiveView = { ...view, place }
  it("is its cycle, the tasks in it, and how many are done and pending", () => {
    assert.deepStrictEqual(headLines(plan, 79), [
      "plan.md  round 2  2 tasks  1 done, 4 pending",
      "used: 5 of 20 rounds, 12m03s of 1h00m, 1.5M of 5M tokens"
    ])
    assert.strictEqual(markOf(plan), "round 2")
  })
  it("names a task that is alone and the last fix, and says when no cycle is open", () => {
    const told = (change: Partial<InPlan>) => placeText({ ...view, place: { ...place, pending: null, ...change } })
    assert.strictEqual(told({ cycle: { ...cycle, tasks: two.slice(1) } }), "plan.md  round 2  task 3 Sum  1 done")
    assert.strictEqual(told({ cycle: { ...cycle, round: 3 } }), "plan.md  round 2  fix 3  2 tasks  1 done")
    assert.strictEqual(told({ cycle: { ...cycle, number: 1, open: false, round: 3 } }), "plan.md  1 round over  1 done")
    assert.strictEqual(told({ cycle: null, pending: 0 }), "plan.md  no round yet  1 done, 0 pending")
    assert.strictEqual(told({ cycle: null, plan: "a".repeat(30) }), `${"a".repeat(21)}...  no round yet  1 done`)
  })
})
