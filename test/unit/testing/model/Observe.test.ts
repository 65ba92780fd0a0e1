// Observe: the machine as it stands, and the same in the model's words.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { idleTimeout } from "../../../../src/testing/model/Model.ts"
import { directory, modelOf, observe, saysOf, target } from "../../../../src/testing/model/Invariants.ts"
import {
  clean,
  failure,
  issues,
  noReview,
  type Scripted,
  silence,
  transientFailure
} from "../../../../src/testing/Scripted.ts"
import { batchCompleted, batchFailed, batchStarted, failed, finished, opened, started, tree } from "../../run/events.ts"
import { onMachine } from "../../run/opened.ts"
import { reviewedRun } from "../reviewedRun.ts"
import { observed, reviewer, untouched } from "./observed.ts"

describe("a look at the machine", () => {
  it("finds nothing where nothing was run", async () =>
    assert.deepStrictEqual(await onMachine(observe), { ...untouched, now: 0 }))

  it("finds the current run, its lines, its reviewers, the code and the time", async () => {
    const seen = await onMachine(Effect.andThen(reviewedRun({ size: 2 }), observe))
    assert.strictEqual(seen.manifest?.batch._tag, "Started")
    assert.lengthOf(seen.reviewers, 2)
    assert.isAbove(seen.commits.length, 2)
    assert.isAbove(seen.now, 0)
    assert.deepStrictEqual([seen.run?.targetKey, target._tag, directory], ["uncommitted", "Uncommitted", "/repo"])
  })
})

describe("a reviewer", () => {
  const parts: ReadonlyArray<readonly [ReturnType<typeof saysOf>, Scripted]> = [
    ["clean", clean()],
    ["issues", issues()],
    ["no review", noReview()],
    ["failure", failure()],
    ["transient failure", transientFailure()],
    ["silence", silence]
  ]
  it.each(parts)("says %s", (says, scripted) => assert.strictEqual(saysOf(reviewer(1, scripted)), says))
})

describe("a run in the model's words", () => {
  const model = (...args: Parameters<typeof observed>) => modelOf(observed(...args)).run

  it("is none where none was created", () => assert.isNull(modelOf(untouched).run))

  it("has its level, its batch, the batches opened and what was recorded", () => {
    const record = { _tag: "LevelOutcomeRecorded", level: "low", batch: 1, ceiling: "low" } as const
    const run = model([[{ ...record, outcome: { _tag: "Addressed", count: 2 } }, opened("low", 2)]])
    assert.deepInclude(run, {
      floor: "low",
      level: "low",
      batch: 2,
      history: ["low/1 Addressed 2"],
      slots: null,
      began: null,
      fixed: false
    })
    assert.deepStrictEqual(run?.top, { low: 2, medium: 0, high: 0, xhigh: 0 })
  })

  it("has slots that say what their reviewers will come to, and when", () => {
    const running = [batchStarted({ size: 3 }), started(), started({ slot: 2 }), started({ slot: 3 })]
    assert.deepStrictEqual(
      model([running], {
        reviewers: [reviewer(1, issues(), 500), reviewer(2, silence, Number.POSITIVE_INFINITY)],
        now: 7
      })?.slots,
      [
        { is: "running", attempts: 1, tries: 1, says: "issues", endsAt: 500 },
        { is: "running", attempts: 1, tries: 1, says: "silence", endsAt: idleTimeout },
        { is: "running", attempts: 1, tries: 1, says: "nothing, for it was never started", endsAt: 7 }
      ]
    )
  })

  it("has slots that are over: reviewed, to be tried again, or failed", () => {
    const four = [batchStarted({ size: 4 }), ...[1, 2, 3, 4].map((slot) => started({ slot }))]
    const ends = [
      finished("Clean"),
      finished("HasIssues", { slot: 2 }),
      failed({ slot: 3, transient: true }),
      failed({ slot: 4 })
    ]
    assert.deepStrictEqual(model([four, ends])?.slots?.map(({ is }) => is), ["clean", "issues", "retrying", "failed"])
    const told = model([four, [...ends, batchFailed([3, 4])]])
    assert.deepStrictEqual([told?.slots?.map(({ is }) => is).slice(2), told?.reported], [["failed", "failed"], true])
  })

  it("has the code at the batch's start and end", () =>
    assert.deepInclude(
      model([[batchStarted({ size: 1 }), started(), finished("Clean"), batchCompleted(tree("t2"))]]),
      { began: "t1", ended: "t2" }
    ))
})
