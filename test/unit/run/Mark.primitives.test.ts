// Mark.primitives: the escalation and the three low-level primitives, given a run, with their events, line and outcome.
// The one rule: none of them records an outcome of a level, and none ever reaches the fixed point.
import { assert, describe, it } from "vitest"
import { decideMark, type Mark } from "../../../src/run/Mark.ts"
import { created, given, opened, reviewed } from "./events.ts"
import { idle, standing, when } from "./markSentences.ts"

describe("--mark-address-failed", () => {
  const details = { text: "test_X failed at line 42: expected ok, got Err(...)" }

  it("records the escalation, no outcome and no transition, and hands off to a human", () => {
    when(given([created()], reviewed("HasIssues")), { _tag: "AddressFailed", details }).then({
      events: [{ _tag: "AddressFailed", level: "low", batch: 1, details }],
      line: null,
      outcome: {
        _tag: "HandoffHuman",
        action: "TestsFailedTriage",
        prompt: "Tests failed after addressing review batch at level low. Surface to a human for triage. " +
          "Details: test_X failed at line 42: expected ok, got Err(...)"
      }
    })
  })

  it("leaves the run as it was", () => {
    const lines = [[created()], reviewed("HasIssues")]
    const before = given(...lines)
    const { events } = decideMark(before, { _tag: "AddressFailed", details }, "xhigh")
    assert.deepStrictEqual(given(...lines, events), before)
  })
})

describe("--advance-level", () => {
  const advance: Mark = { _tag: "AdvanceLevel" }
  it("moves one rung up and records no outcome", () => {
    when(standing("low", "low"), advance).then({
      events: [opened("medium", 1, { from: "low", cause: "Advanced" })],
      line: "advanced level: low -> medium",
      outcome: idle
    })
  })

  it("is bounded by the ladder edge, not by the ceiling, and never a fixed point", () => {
    const { line, outcome } = decideMark(standing("low", "medium"), advance, "medium")
    assert.strictEqual(line, "advanced level: medium -> high")
    assert.deepStrictEqual(outcome, idle)
  })

  it("at the ladder edge does nothing, and says so", () => {
    when(standing("low", "xhigh"), advance).then({
      events: [],
      line: "at ladder edge (xhigh); no advance",
      outcome: idle
    })
  })
})

describe("--drop-level", () => {
  const drop: Mark = { _tag: "DropLevel" }
  it("moves one rung down", () => {
    when(standing("low", "xhigh"), drop).then({
      events: [opened("high", 1, { from: "xhigh", cause: "Dropped" })],
      line: "dropped level: xhigh -> high",
      outcome: idle
    })
  })

  it.each(["low", "medium", "xhigh"] as const)("at the floor %s does nothing, and says so", (floor) => {
    when(standing(floor, floor), drop).then({ events: [], line: `at floor (${floor}); no drop`, outcome: idle })
  })
})

describe("--restart-from-floor", () => {
  const restart: Mark = { _tag: "RestartFromFloor" }
  it("lands on the floor and records no outcome", () => {
    when(standing("medium", "xhigh"), restart).then({
      events: [opened("medium", 2, { from: "xhigh", cause: "Restarted" })],
      line: "restarted from floor: xhigh -> medium",
      outcome: idle
    })
  })

  it("at the floor says the same line, and moves on to the next unused batch", () => {
    when(standing("low", "low"), restart).then({
      events: [opened("low", 3, { from: "low", cause: "Restarted" })],
      line: "restarted from floor: low -> low",
      outcome: idle
    })
  })
})

describe("a new run", () => {
  const newRun = given([created()])
  it("counts batch 1 as its current batch, though nothing has run: a mark moves on from it", () => {
    assert.deepInclude(decideMark(newRun, { _tag: "RestartFromFloor" }, "xhigh").events[0], { level: "low", batch: 2 })
    assert.deepInclude(decideMark(newRun, { _tag: "AddressPassed" }, "xhigh"), {
      line: "address passed at floor low (0 review(s) with issues); no drop; advanced to batch 2"
    })
  })

  it("that returns to a level uses the next unused batch there", () => {
    const back = given([created()], [opened("medium", 1)], [opened("low", 2)])
    const { events } = decideMark(back, { _tag: "AdvanceLevel" }, "xhigh")
    assert.deepStrictEqual(events, [opened("medium", 2, { from: "low", cause: "Advanced" })])
  })
})
