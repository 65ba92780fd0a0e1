// PastBatches: every batch that a run started, as it stood when the run left it.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { batchesOf } from "../../../src/run/ReviewRun.ts"
import { batchStarted, created, finished, log, opened, reviewed, started } from "./events.ts"

const past = (...lines: ReadonlyArray<ReadonlyArray<Event>>) =>
  batchesOf(log(...lines)).map((
    { batch, level, number }
  ) => [`${level}/${number}`, batch.slots.map(({ _tag }) => _tag)])

describe("batchesOf", () => {
  it("finds none where none was started", () => {
    assert.deepStrictEqual(past(), [])
    assert.deepStrictEqual(past([created()]), [])
    assert.deepStrictEqual(past([created()], [opened("medium", 1)]), [])
  })

  it("finds the current one as it stands", () =>
    assert.deepStrictEqual(past([created()], [batchStarted()], [started()]), [["low/1", ["Running", "Queued"]]]))

  it("finds those that were left as they stood then, in order, the current one last", () =>
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

  it("hears nothing of a late end in a batch that the run has left", () =>
    assert.deepStrictEqual(
      past([created()], [batchStarted({ size: 1 }), started()], [opened("low", 2)], [finished("Clean")]),
      [["low/1", ["Running"]]]
    ))
})
