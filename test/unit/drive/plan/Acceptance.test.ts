// Acceptance: what makes work acceptable, and what makes an acceptance stale.
import { assert, describe, it } from "vitest"
import { acceptable, isMarked, isStale, runsSince, type View } from "../../../../src/drive/plan/Decide.ts"
import {
  after,
  analysed,
  content,
  cycleStarted,
  driverStarted,
  type Facts,
  green,
  reviewed,
  settings,
  taken,
  view,
  worked
} from "./histories.ts"

const done: Facts = [driverStarted(), cycleStarted(), worked(1, "cycle-1/implement"), taken(1, [0]), green(1, "b")]
const accepted: Facts = [...done, reviewed(2, 0, "ACCEPTABLE")]

const last = (events: Facts) => {
  const state = after(...events)
  const cycle = state.rounds.at(-1) ?? assert.fail("no cycle")
  return { state, cycle, review: cycle.reviews.at(-1) ?? assert.fail("no review") }
}

const stale = (events: Facts, now: View = view(), tests = ["npm test"]): boolean => {
  const { review, state } = last(events)
  return isStale(state, review, now, settings({ tests }))
}

describe("work is acceptable", () => {
  it("by its review, or where nothing of it is in scope", () => {
    const cause = (events: Facts) => {
      const { cycle, review } = last(events)
      return acceptable(cycle, review)
    }
    assert.strictEqual(cause(accepted), "Acceptable")
    const refused: Facts = [...done, reviewed(2, 0, "NEEDS_FIXES")]
    assert.isNull(cause(refused))
    assert.isNull(cause([...refused, analysed(3)]))
    assert.strictEqual(cause([...refused, analysed(3, false)]), "OutOfScope")
    // The analysis was of the review before.
    assert.isNull(cause([...refused, analysed(3, false), reviewed(4, 0, "NEEDS_FIXES")]))
  })

  it("until the plan says so itself", () => {
    const { cycle, state } = last(accepted)
    assert.isFalse(isMarked(state, cycle, view()))
    assert.isTrue(isMarked(state, cycle, view({ done: [1, 0] })))
  })

  it("but not where an agent may have made it say so", () => {
    const { cycle, state } = last([...accepted, worked(3, "cycle-1/mend-1")])
    assert.isFalse(isMarked(state, cycle, view({ done: [1, 0] })))
  })
})

describe("an acceptance is stale", () => {
  it("where the code was changed since its review, or the tests were green on other code", () => {
    assert.isFalse(stale(accepted))
    assert.isTrue(stale(accepted, view({ content: content("c") })))
    const other: Facts = [...done, reviewed(2, 0, "ACCEPTABLE", "c")]
    assert.isTrue(stale(other, view({ content: content("c") })))
    assert.isFalse(stale(other, view({ content: content("c") }), ["npm run lint"]))
  })

  it("where somebody has worked since", () => {
    assert.isTrue(stale([...accepted, worked(3, "cycle-1/mend-1")]))
  })
})

describe("the runs of the tests", () => {
  it("are those after the last agent that may write, and after one that is named", () => {
    const tests = (events: Facts, agent = 0) => runsSince(after(...events), 1, agent).map(({ started }) => started.test)
    assert.deepStrictEqual(tests([...accepted, green(2, "b")]), [1, 2])
    assert.deepStrictEqual(tests([...accepted, green(2, "b")], 2), [2])
    assert.deepStrictEqual(tests([...accepted, worked(3, "cycle-1/mend-1"), green(2, "b")]), [2])
  })
})
