// Which transcripts nothing needs whole any more: of an unfinished run what a proof would rest on stays.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { cuttable } from "../../../src/read/Prune.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  failed,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "../run/events.ts"
import { factsOf } from "./views.ts"

const cut = (over: boolean, ...events: ReadonlyArray<Event>) =>
  cuttable(factsOf({ review: [[created(), ...events]] }), over).map((
    { review: { attempt, batch, level, slot }, state }
  ) => `${level}/${batch} slot ${slot} attempt ${attempt} ${state}`)

const first = [...reviewed("HasIssues"), batchCompleted(tree("t1"))]
const inBatch = (batch: number) => <E extends Event>(event: E): E => "batch" in event ? { ...event, batch } : event
const second = [opened("low", 2), ...[...reviewed("Clean"), batchCompleted(tree("t2"))].map(inBatch(2))]

describe("the transcripts of", () => {
  it("a run that is over are all cut", () =>
    assert.deepStrictEqual(cut(true, ...first, ...second), [
      "low/1 slot 1 attempt 1 Reviewed",
      "low/2 slot 1 attempt 1 Reviewed"
    ]))

  it("an unfinished run stay in its current batch and in the last complete one of each level", () => {
    assert.deepStrictEqual(cut(false, ...first), [])
    assert.deepStrictEqual(cut(false, ...first, ...second), ["low/1 slot 1 attempt 1 Reviewed"])
    assert.deepStrictEqual(cut(false, ...first, opened("medium", 1)), [])
  })

  it("attempts without a review are cut wherever they are", () => {
    const two = batchStarted({ size: 2 })
    const fails = [two, started(), started({ slot: 2, id: "id-2" }), failed(), failed({ slot: 2 }), batchFailed([1, 2])]
    assert.deepStrictEqual(cut(false, ...fails), ["low/1 slot 1 attempt 1 Failed", "low/1 slot 2 attempt 1 Failed"])
    assert.deepStrictEqual(cut(false, ...fails, started({ attempt: 2, id: "id-3" })), [
      "low/1 slot 1 attempt 1 Archived",
      "low/1 slot 1 attempt 2 Open",
      "low/1 slot 2 attempt 1 Failed"
    ])
    assert.deepStrictEqual(cut(false, two, started(), stopped()), ["low/1 slot 1 attempt 1 Failed"])
  })

  it("a run without a batch are none", () => assert.deepStrictEqual(cut(true), []))
})
