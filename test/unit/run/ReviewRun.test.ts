// The log of a review run as a kind: what begins it, and that its fold is the manifest's without the history.
import { assert, describe, it } from "vitest"
import { fold } from "../../../src/log/Walk.ts"
import { Event } from "../../../src/run/Event.ts"
import { fold as manifestOf } from "../../../src/run/Manifest.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import { created, log, opened, reviewed } from "./events.ts"

describe("the log of a review run", () => {
  it("is known by the name that its files go by", () => assert.strictEqual(reviewRun.kind, "review"))

  it("begins with the creation of the run, bound to its id and its nonce", () => {
    assert.deepStrictEqual(reviewRun.genesis, { event: "RunCreated", binds: ["runId", "nonce"] })
    for (const field of reviewRun.genesis.binds) assert.property(Event.cases.RunCreated.fields, field)
    assert.isNull(reviewRun.fold.initial(opened("low", 2)))
  })

  it("folds to the manifest, with the count of its history in place of the history", () => {
    const outcome = { _tag: "LevelOutcomeRecorded", level: "low", batch: 1, ceiling: "high" } as const
    const commits = log(
      [created()],
      reviewed("Clean", "Clean"),
      [{ ...outcome, outcome: { _tag: "Clean" } }, opened("medium", 1)],
      [{ ...outcome, level: "medium", outcome: { _tag: "Addressed", count: 1 } }]
    )
    const { level_history, ...run } = manifestOf(commits) ?? assert.fail("no run")
    const folded = fold(reviewRun, commits) ?? assert.fail("no run")
    assert.deepStrictEqual({ ...folded.run, level_history: [] }, { ...run, level_history: [] })
    assert.strictEqual(folded.records, level_history.length)
    assert.strictEqual(folded.records, 2)
  })
})
