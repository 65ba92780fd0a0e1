// ReviewRun: the kind of log of a review run, and every batch that it started, in its last state.
import { assert, describe, it } from "vitest"
import { fold } from "../../../src/log/Walk.ts"
import { Event } from "../../../src/run/Event.ts"
import { fold as manifestOf } from "../../../src/run/Manifest.ts"
import { batchesOf, reviewRun } from "../../../src/run/ReviewRun.ts"
import { batchStarted, created, finished, log, opened, reviewed, started } from "./events.ts"

describe("the log of a review run", () => {
  it("is known by the name of its files", () => assert.strictEqual(reviewRun.kind, "review"))

  it("begins with the creation of the run, bound to its id and its nonce", () => {
    assert.deepStrictEqual(reviewRun.genesis, { event: "RunCreated", binds: ["runId", "nonce"] })
    for (const field of reviewRun.genesis.binds) assert.property(Event.cases.RunCreated.fields, field)
    assert.isNull(reviewRun.fold.initial(opened("low", 2)))
  })

  it("folds to the manifest, with the length of its history instead of the history", () => {
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

const past = (...lines: ReadonlyArray<ReadonlyArray<Event>>) =>
  batchesOf(log(...lines)).map((
    { batch, level, number }
  ) => [`${level}/${number}`, batch.slots.map(({ _tag }) => _tag)])

describe("batchesOf", () => {
  it("finds none if none was started", () => {
    assert.deepStrictEqual(past(), [])
    assert.deepStrictEqual(past([created()]), [])
    assert.deepStrictEqual(past([created()], [opened("medium", 1)]), [])
  })

  it("finds the current one unchanged", () =>
    assert.deepStrictEqual(past([created()], [batchStarted()], [started()]), [["low/1", ["Running", "Queued"]]]))

  it("finds those that were left in the state in which they were left, in order, the current one last", () =>
    assert.deepStrictEqual(
      past(
        [created()],
        [...reviewed("HasIssues")],
        [opened("low", 2)],
        [batchStarted({ batch: 2 }), started({ batch: 2 })],
        [opened("medium", 1)],
        [batchStarted({ level: "medium" })]
      ),
      [["low/1", ["Finished"]], ["low/2", ["Running", "Queued"]], ["medium/1", ["Queued", "Queued"]]]
    ))

  it("leaves out one that was opened and never started", () =>
    assert.deepStrictEqual(past([created()], [...reviewed("Clean")], [opened("medium", 1)], [opened("low", 2)]), [
      ["low/1", ["Finished"]]
    ]))

  it("ignores a late end in a batch that the run left", () =>
    assert.deepStrictEqual(
      past([created()], [batchStarted({ size: 1 }), started()], [opened("low", 2)], [finished("Clean")]),
      [["low/1", ["Running"]]]
    ))
})
