// Standing: where a run stands, told from its state, the reviewers that live and the last event.
import { assert, describe, it } from "vitest"
import type { Event } from "../../../src/run/Event.ts"
import { standing } from "../../../src/read/Runs.ts"
import {
  batchCompleted,
  batchFailed,
  batchStarted,
  created,
  failed,
  finished,
  given,
  opened,
  reviewed,
  started,
  stopped,
  tree
} from "../run/events.ts"

type Lines = ReadonlyArray<ReadonlyArray<Event>>

const stands = (lines: Lines, alive = 0, last = "") => {
  const { kind, text } = standing(given([created()], ...lines), { alive, last })
  return `${kind}: ${text}`
}

const both = [batchStarted(), started(), started({ slot: 2 })]
const reached: Event = { _tag: "FixedPointReached", level: "low", batch: 1, ceiling: "low", by: "Reviews" }

describe("a run that was read to its end", () => {
  const cases: ReadonlyArray<readonly [string, Lines, string]> = [
    ["whose batch was not started", [], "NextStep: waiting for the next step"],
    ["whose reviewers have ended", [both], "NextStep: waiting for the next step: 2 reviewers have ended"],
    [
      "one of whose reviewers has",
      [[...both, finished("Clean")]],
      "NextStep: waiting for the next step: 1 reviewer has ended"
    ],
    [
      "with a slot that waits for its turn",
      [[batchStarted(), started()], [finished("Clean")]],
      "NextStep: waiting for the next step"
    ],
    ["that was stopped", [both, [stopped(), stopped({ slot: 2 })]], "Stopped: stopped: waiting for the next step"],
    ["that has failed", [both, [failed(), finished("Clean", { slot: 2 }), batchFailed([1])]], "Failed: failed: slot 1"],
    [
      "that failed for a while: between two steps that is a failure",
      [[batchStarted({ size: 1 }), started()], [failed({ transient: true })]],
      "Failed: failed: slot 1"
    ],
    ["with issues", [reviewed("Clean", "HasIssues")], "AddressBatch: waiting for AddressBatch"],
    ["that is clean", [[...reviewed("Clean"), batchCompleted(tree("t1"))]], "Retrospective: waiting for Retrospective"],
    [
      "whose code changed under review",
      [[...reviewed("Clean"), batchCompleted(tree("t2"))]],
      "NextStep: waiting for the next step"
    ],
    [
      "at its fixed point",
      [[...reviewed("Clean"), batchCompleted(tree("t1")), reached]],
      "FixedPoint: fixed point at low"
    ],
    [
      "that left its fixed point",
      [[...reviewed("Clean"), reached], [opened("low", 2)]],
      "NextStep: waiting for the next step"
    ]
  ]
  it.each(cases)("%s", (_, lines, expected) => assert.strictEqual(stands(lines), expected))

  it("runs while one of its reviewers lives", () => {
    assert.strictEqual(stands([both], 1), "Running: running: 1 of 2 reviewers")
    assert.strictEqual(stands([[batchStarted({ size: 1 }), started()]], 1), "Running: running: 1 of 1 reviewer")
  })

  it("waits for a human where the tests failed last", () => {
    const issues = reviewed("HasIssues")
    assert.strictEqual(stands([issues], 0, "AddressFailed"), "TestsFailedTriage: waiting for a human: tests failed")
    assert.strictEqual(stands([issues], 0, "BatchCompleted"), "AddressBatch: waiting for AddressBatch")
    assert.strictEqual(stands([issues, [opened("low", 2)]], 0, "AddressFailed"), "NextStep: waiting for the next step")
  })
})
