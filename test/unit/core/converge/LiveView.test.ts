// LiveView: the lines of a driven run for a person, at 80 and at 200 columns.
import { assert, describe, it } from "vitest"
import { headLines, here, type LiveView } from "../../../../src/core/converge/LiveView.ts"

const view: LiveView = {
  floor: "low",
  level: "medium",
  ceiling: "xhigh",
  batch: 3,
  round: { number: 5, open: true, findings: 2 },
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
    const first = (change: Partial<LiveView>) => headLines({ ...view, ...change }, 79)[0]
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
    const first = (change: Partial<LiveView>) => headLines({ ...view, round: null, ...change }, 79)[0]
    assert.strictEqual(first({ floor: "medium", ceiling: "high" }), "[medium] high  batch 3")
    assert.strictEqual(first({ ceiling: null }), "level medium  batch 3")
    assert.strictEqual(here("low"), "[low]")
  })
})
