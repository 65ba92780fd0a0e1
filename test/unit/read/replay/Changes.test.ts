// Changes: what each event changed in the manifest, field by field.
import { assert, describe, it } from "vitest"
import { changesOf, valueText } from "../../../../src/read/replay/Timeline.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  failed,
  finished,
  opened,
  started,
  stopped,
  tree
} from "../../run/events.ts"
import { happenings } from "../audit/happenings.ts"

/** What the last event of these lines changed, in words. */
const changed = (...lines: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<string> => {
  const last = happenings(...lines).at(-1)
  return last === undefined
    ? assert.fail("no event")
    : changesOf(last).map(({ after, before, field }) => `${field} ${valueText(before)} -> ${valueText(after)}`)
}

const one = [batchStarted({ size: 1 })]
const running = [...one, started()]

describe("an event changes", () => {
  it("everything at once, where it creates the run", () =>
    assert.deepStrictEqual(changed([created()]), ["manifest none -> low batch 1"]))

  it("the batch that it starts", () =>
    assert.deepStrictEqual(changed([created()], one), [
      "batch_size 3 -> 1",
      "batches 0 -> 1",
      "batch NotStarted -> Started"
    ]))

  it("the slot that it is about, and no other", () => {
    const two = [batchStarted({ size: 2 })]
    assert.deepStrictEqual(changed([created()], two, [started({ slot: 2 })]), ["batch.slots.2 Queued -> Running"])
    assert.deepStrictEqual(changed([created()], running, [finished("Clean")]), ["batch.slots.1 Running -> Clean"])
    assert.deepStrictEqual(changed([created()], running, [failed()]), ["batch.slots.1 Running -> Failed"])
  })

  it("what is known of the whole batch", () => {
    assert.deepStrictEqual(changed([created()], running, [failed()], [batchFailed([1])]), ["batch.failedAt 0 -> 4"])
    assert.deepStrictEqual(changed([created()], running, [finished("Clean")], [batchCompleted(tree("t2"))]), [
      "batch.completed none -> tree t2, HEAD aaaaaaaaaaaa"
    ])
    assert.deepStrictEqual(changed([created()], running, [stopped()]), [
      "batch.slots.1 Running -> Queued",
      "batch.stopped false -> true",
      "stopped_at 0 -> 3"
    ])
  })

  it("the level, with the batches opened there", () =>
    assert.deepStrictEqual(changed([created()], one, [opened("medium", 1)]), [
      "current_level low -> medium",
      "opened.medium 0 -> 1",
      "batch Started -> NotStarted"
    ]))

  it("the fixed point", () =>
    assert.deepStrictEqual(
      changed([created()], [{ _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Mark" }]),
      ["fixed_point none -> low batch 1"]
    ))

  it("the history, by one record", () => {
    const outcome = {
      _tag: "LevelOutcomeRecorded",
      level: "low",
      batch: 1,
      outcome: { _tag: "Addressed", count: 2 },
      ceiling: "low"
    }
    assert.deepStrictEqual(changed([created()], [outcome], [outcome]), [
      "level_history.1 none -> Addressed 2 reviews with issues"
    ])
  })

  it("nothing, where it only tells of something", () => {
    assert.deepStrictEqual(changed([created()], [{ _tag: "StepAborted", signal: "SIGINT" }]), [])
    assert.deepStrictEqual(changed([created()], running, [finished("Clean", { attempt: 2 })]), [])
  })

  it("nothing that is known, where this version does not know it", () => {
    assert.deepStrictEqual(changed([created()], [{ _tag: "FromTheFuture" }]), [])
    assert.deepStrictEqual(changed([created()], [{ _tag: "FromTheFuture" }], running), [])
  })
})
