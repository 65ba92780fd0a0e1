// Proof: the last clean batch of each level, what it saw, and what a fixed point has proven by them.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../../src/run/Event.ts"
import { proofOf, type Sameness } from "../../../../src/read/audit/Proof.ts"
import { batchCompleted, batchStarted, finished, opened, started, tree } from "../../run/events.ts"
import { advanced, cleanBatch, reached, shownBy } from "./cleanRuns.ts"

const climb = [...cleanBatch("low"), ...advanced("low", "medium")]
const proof = (...events: ReadonlyArray<Event>) =>
  proofOf(shownBy(...events), { floor: "low", strict: false }, "borne out")

describe("what a run has shown", () => {
  it("is nothing before a batch is complete", () => {
    const { at, last } = shownBy(...cleanBatch("low").slice(0, 3))
    assert.deepStrictEqual([at.low, last], [null, null])
  })

  it("is its last clean batch, with what it saw and who reviewed it", () => {
    const { at, last } = shownBy(...cleanBatch("low", tree("t1"), { attempt: 2 }))
    assert.strictEqual(at.low, last)
    assert.deepInclude(at.low, {
      level: "low",
      batch: 1,
      line: 5,
      reviewers: [{ slot: 1, attempt: 2, reason: "as written" }],
      started: tree("t1"),
      completed: tree("t1"),
      retrospective: false,
      isolated: null
    })
  })

  it("is nothing by a batch with issues", () => {
    const { at } = shownBy(batchStarted({ size: 1 }), started(), finished("HasIssues"), batchCompleted(tree("t1")))
    assert.isNull(at.low)
  })

  it("has a clean retrospective where one was recorded for that batch", () => {
    assert.isTrue(shownBy(...climb).at.low?.retrospective)
    const later = shownBy(
      ...cleanBatch("low"),
      opened("low", 2),
      ...cleanBatch("low", tree("t2"), { batch: 2 }),
      ...advanced("low", "medium")
    )
    assert.deepInclude(later.at.low, { batch: 2, retrospective: false })
  })

  it("is withdrawn, as far as its fixed point, by the next batch", () => {
    assert.isNotNull(shownBy(...cleanBatch("low"), reached("low")).fixedPoint)
    assert.isNull(shownBy(...cleanBatch("low"), reached("low"), opened("low", 2)).fixedPoint)
  })
})

describe("a proof", () => {
  it("is none without a fixed point", () => assert.isNull(proof(...climb)))

  it("is complete where every level saw the code of the last clean batch", () => {
    const whole = proof(...climb, ...cleanBatch("medium"), reached("medium"))
    assert.deepStrictEqual(whole?.levels.map(({ level, sameness }) => [level, sameness]), [["low", "same"], [
      "medium",
      "same"
    ]])
    assert.deepInclude(whole, { claimed: true, complete: true })
  })

  it("is only claimed where the rest of the audit does not bear it out", () => {
    const shown = shownBy(...cleanBatch("low"), reached("low"))
    for (const support of ["refuted", "unchecked"] as const) {
      assert.deepInclude(proofOf(shown, { floor: "low", strict: false }, support), {
        claimed: true,
        complete: false,
        support
      })
    }
  })

  const another = { ...tree("t1"), head: "b".repeat(40) }
  const seen: ReadonlyArray<readonly [Sameness, ReadonlyArray<Event>]> = [
    ["same tree", cleanBatch("low", another)],
    ["other", cleanBatch("low", tree("t2"))],
    ["changed", cleanBatch("low", tree("t2"), { then: tree("t1") })],
    ["unknown", cleanBatch("low", { _tag: "Unknown", why: "git is gone" })]
  ]
  it.each(seen)("is not claimed where a level saw what is %s", (sameness, low) => {
    const found = proof(...low, ...advanced("low", "medium"), ...cleanBatch("medium"), reached("medium"))
    assert.deepInclude(found?.levels[0], { level: "low", sameness })
    assert.isFalse(found?.claimed)
  })

  it("is not claimed where a level has no clean batch, or no level lies between floor and ceiling", () => {
    const skipped = proof(opened("medium", 1), ...cleanBatch("medium"), reached("medium"))
    assert.deepStrictEqual(skipped?.levels.map(({ clean, sameness }) => [clean?.level, sameness]), [
      [undefined, null],
      ["medium", "same"]
    ])
    assert.isFalse(skipped?.claimed)
    assert.deepInclude(
      proofOf(shownBy(...cleanBatch("low"), reached("low")), { floor: "high", strict: false }, "borne out"),
      {
        levels: [],
        claimed: false
      }
    )
  })
})
