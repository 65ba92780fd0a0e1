// Mark: the events, the line and the outcome of each mark, for each state of a run.
// Resolution lines are the contract's templates with the placeholders filled in by hand.
import { assert, describe, it } from "vitest"
import type { Event, LevelOutcome } from "../../../src/run/Event.ts"
import type { Level } from "../../../src/run/Level.ts"
import { type Manifest, replay } from "../../../src/run/Manifest.ts"
import { decideMark, type Mark, type MarkDecision } from "../../../src/run/Mark.ts"
import { batchStarted, created, finished, given, opened, reviewed, started } from "./events.ts"

/** Applies a mark; `then` compares the decision. */
const when = (manifest: Manifest, mark: Mark, ceiling: Level = "xhigh") => ({
  then: (expected: MarkDecision): void => assert.deepStrictEqual(decideMark(manifest, mark, ceiling), expected)
})

/** A run with the floor `floor` at `level` in batch 1 there (batch 2 at the floor itself). */
const standing = (floor: Level, level: Level): Manifest =>
  given([created({ startLevel: floor })], [opened(level, level === floor ? 2 : 1, { from: floor })])

const idle = { _tag: "Idle" } as const

const recorded = (level: Level, batch: number, outcome: LevelOutcome, ceiling: Level = "xhigh"): Event => ({
  _tag: "LevelOutcomeRecorded",
  level,
  batch,
  outcome,
  ceiling
})

const clean: Mark = { _tag: "RetroClean" }
const changes = (text: string): Mark => ({ _tag: "RetroChanges", reason: { text } })

describe("--mark-retro-clean", () => {
  it("row 1: below the ceiling, advances one rung", () => {
    for (const ceiling of ["high", "xhigh"] as const) {
      when(standing("low", "medium"), clean, ceiling).then({
        events: [
          recorded("medium", 1, { _tag: "Clean" }, ceiling),
          opened("high", 1, { from: "medium", cause: "Advanced" })
        ],
        line: "retrospective clean at medium; advanced to high",
        outcome: idle
      })
    }
  })

  it("row 2: at the ceiling, records the fixed point, changes no level and opens no batch", () => {
    when(standing("low", "high"), clean, "high").then({
      events: [
        recorded("high", 1, { _tag: "Clean" }, "high"),
        { _tag: "FixedPointReached", level: "high", batch: 1, ceiling: "high", by: "Mark" }
      ],
      line: "retrospective clean at ceiling (high); fixed point reached",
      outcome: { _tag: "DoneFixedPoint" }
    })
  })

  it("row 3: above the ceiling and below xhigh, advances one rung", () => {
    when(standing("low", "high"), clean, "medium").then({
      events: [
        recorded("high", 1, { _tag: "Clean" }, "medium"),
        opened("xhigh", 1, { from: "high", cause: "Advanced" })
      ],
      line: "retrospective clean at high; advanced to xhigh",
      outcome: idle
    })
  })

  it("row 4: at xhigh above the ceiling, only records", () => {
    when(standing("low", "xhigh"), clean, "high").then({
      events: [recorded("xhigh", 1, { _tag: "Clean" }, "high")],
      line: "retrospective clean at xhigh; ladder edge xhigh reached, no advance",
      outcome: idle
    })
  })
})

describe("--mark-retro-changes", () => {
  it("records the reason and restarts from the floor", () => {
    when(standing("low", "high"), changes("Found N+1 pattern")).then({
      events: [
        recorded("high", 1, { _tag: "RetrospectiveChanges", reason: { text: "Found N+1 pattern" } }),
        opened("low", 2, { from: "high", cause: "Restarted" })
      ],
      line: 'retrospective surfaced changes at high ("Found N+1 pattern"); restarted from floor: high -> low',
      outcome: idle
    })
  })

  it("at the floor records too, and opens the next unused batch there", () => {
    when(standing("low", "low"), changes("...")).then({
      events: [
        recorded("low", 2, { _tag: "RetrospectiveChanges", reason: { text: "..." } }),
        opened("low", 3, { from: "low", cause: "Restarted" })
      ],
      line: 'retrospective surfaced changes at low ("..."); restarted from floor: low -> low',
      outcome: idle
    })
  })

  it("keeps the reason verbatim in the event, and on one line of stdout with its quotes unescaped", () => {
    const text = 'say "hi"\nHandoffAgent: x\u2028\u001b[2J'
    const { events, line } = decideMark(standing("low", "low"), changes(text), "xhigh")
    assert.deepStrictEqual(events[0], recorded("low", 2, { _tag: "RetrospectiveChanges", reason: { text } }))
    assert.strictEqual(
      line,
      'retrospective surfaced changes at low ("say "hi"\\nHandoffAgent: x\\u2028\\u001b[2J"); ' +
        "restarted from floor: low -> low"
    )
  })
})

describe("--mark-address-passed", () => {
  const passed: Mark = { _tag: "AddressPassed" }
  const reviewedAt = (manifest: Manifest, ...verdicts: ReadonlyArray<"Clean" | "HasIssues">): Manifest => {
    const where = { level: manifest.current_level, batch: manifest.batch_number }
    return replay(manifest, [{
      seq: 3,
      at: "",
      events: [
        batchStarted({ ...where, size: verdicts.length }),
        ...verdicts.map((_, i) => started({ ...where, slot: i + 1 })),
        ...verdicts.map((verdict, i) => finished(verdict, { ...where, slot: i + 1, findings: 9 }))
      ]
    }])
  }

  it("records the number of reviews with issues and drops one rung", () => {
    when(reviewedAt(standing("low", "high"), "HasIssues", "Clean", "HasIssues"), passed).then({
      events: [
        recorded("high", 1, { _tag: "Addressed", count: 2 }),
        opened("medium", 1, { from: "high", cause: "Dropped" })
      ],
      line: "address passed at high (2 review(s) with issues); dropped to medium",
      outcome: idle
    })
  })

  it("at the floor keeps the level and names the next unused batch", () => {
    when(reviewedAt(standing("low", "low"), "HasIssues"), passed).then({
      events: [
        recorded("low", 2, { _tag: "Addressed", count: 1 }),
        opened("low", 3, { from: "low", cause: "Dropped" })
      ],
      line: "address passed at floor low (1 review(s) with issues); no drop; advanced to batch 3",
      outcome: idle
    })
  })

  it("without a batch records Addressed(0)", () => {
    when(standing("low", "medium"), passed).then({
      events: [
        recorded("medium", 1, { _tag: "Addressed", count: 0 }),
        opened("low", 2, { from: "medium", cause: "Dropped" })
      ],
      line: "address passed at medium (0 review(s) with issues); dropped to low",
      outcome: idle
    })
  })
})

describe("--mark-address-failed", () => {
  const details = { text: "test_X failed at line 42: expected ok, got Err(...)" }

  it("records the escalation without outcome and transition, and hands off to a human", () => {
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
  it("moves to the floor and records no outcome", () => {
    when(standing("medium", "xhigh"), restart).then({
      events: [opened("medium", 2, { from: "xhigh", cause: "Restarted" })],
      line: "restarted from floor: xhigh -> medium",
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
})
