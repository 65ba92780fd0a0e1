// Mark: what every side-effect flag does in every state, and what none of them ever does.
// The line of each flag is matched against the contract's templates, all of them, as a whole.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { reviewsWithIssues } from "../src/run/Batch.ts"
import type { Event } from "../src/run/Event.ts"
import { compare, type Level } from "../src/run/Level.ts"
import { type Manifest, nextBatch, replay } from "../src/run/Manifest.ts"
import { decideMark, type Mark } from "../src/run/Mark.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const { level, manifest, mark, marks } = arbitraries

const recording: ReadonlyArray<Mark["_tag"]> = ["RetroClean", "RetroChanges", "AddressPassed"]
const after = (state: Manifest, events: ReadonlyArray<Event>): Manifest => replay(state, [{ seq: 99, at: "t", events }])
const openings = (events: ReadonlyArray<Event>) =>
  events.flatMap((event) => event._tag === "BatchOpened" ? [event] : [])
const records = (events: ReadonlyArray<Event>) =>
  events.flatMap((event) => event._tag === "LevelOutcomeRecorded" ? [event] : [])

const always = (law: (state: Manifest, one: Mark, ceiling: Level) => void) =>
  fc.assert(fc.property(manifest, mark, level, law), { numRuns: 500 })

/** The contract's resolution lines, filled in for a state: the condition of each row and its text. */
const templates = (state: Manifest, one: Mark, ceiling: Level, next: Level): ReadonlyArray<string> => {
  const { current_level: at, start_level: floor } = state
  const count = reviewsWithIssues(state.batch)
  const edge = at === "xhigh"
  const rows: Record<Mark["_tag"], ReadonlyArray<readonly [boolean, RegExp]>> = {
    AdvanceLevel: [
      [!edge, RegExp(`^advanced level: ${at} -> ${next}$`)],
      [edge, /^at ladder edge \(xhigh\); no advance$/]
    ],
    DropLevel: [
      [at !== floor, RegExp(`^dropped level: ${at} -> ${next}$`)],
      [at === floor, RegExp(`^at floor \\(${at}\\); no drop$`)]
    ],
    RestartFromFloor: [[true, RegExp(`^restarted from floor: ${at} -> ${floor}$`)]],
    RetroClean: [
      [at === ceiling, RegExp(`^retrospective clean at ceiling \\(${ceiling}\\); fixed point reached$`)],
      [at !== ceiling && !edge, RegExp(`^retrospective clean at ${at}; advanced to ${next}$`)],
      [at !== ceiling && edge, /^retrospective clean at xhigh; ladder edge xhigh reached, no advance$/]
    ],
    RetroChanges: [
      [true, RegExp(`^retrospective surfaced changes at ${at} \\(".*"\\); restarted from floor: ${at} -> ${floor}$`)]
    ],
    AddressPassed: [
      [at !== floor, RegExp(`^address passed at ${at} \\(${count} review\\(s\\) with issues\\); dropped to ${next}$`)],
      [
        at === floor,
        RegExp(
          `^address passed at floor ${at} \\(${count} review\\(s\\) with issues\\); no drop; ` +
            `advanced to batch ${state.opened[at] + 1}$`
        )
      ]
    ],
    AddressFailed: []
  }
  return rows[one._tag].filter(([holds]) => holds).map(([, template]) => template.source)
}

describe("every mark, in every state", () => {
  it("says the one line of the contract that its state calls for; the escalation alone says nothing", () =>
    always((state, one, ceiling) => {
      const { events, line } = decideMark(state, one, ceiling)
      const expected = templates(state, one, ceiling, after(state, events).current_level)
      if (line === null) return assert.strictEqual(one._tag, "AddressFailed")
      assert.lengthOf(expected, 1)
      assert.match(line, RegExp(expected[0] ?? ""))
      assert.notMatch(line, /[\n\r\u2028\u2029]/)
    }))

  it("ends in the contract's outcome", () =>
    always((state, one, ceiling) => {
      const { outcome } = decideMark(state, one, ceiling)
      const fixed = one._tag === "RetroClean" && state.current_level === ceiling
      const expected = one._tag === "AddressFailed" ? "HandoffHuman" : fixed ? "DoneFixedPoint" : "Idle"
      assert.strictEqual(outcome._tag, expected)
    }))

  it("records exactly one outcome, of the current level, if it is a recording mark, and otherwise no outcome", () =>
    always((state, one, ceiling) => {
      const { events } = decideMark(state, one, ceiling)
      const found = records(events)
      assert.lengthOf(found, recording.includes(one._tag) ? 1 : 0)
      for (const record of found) {
        assert.strictEqual(events[0], record)
        assert.deepInclude(record, { level: state.current_level, batch: state.batch_number, ceiling })
        const variant = { RetroClean: "Clean", RetroChanges: "RetrospectiveChanges", AddressPassed: "Addressed" }
        assert.strictEqual(record.outcome._tag, Object.entries(variant).find(([tag]) => tag === one._tag)?.[1])
      }
    }))

  it("opens at most one batch, the next unused one at its destination, and the run is then there", () =>
    always((state, one, ceiling) => {
      const { events } = decideMark(state, one, ceiling)
      const [opening, ...more] = openings(events)
      assert.lengthOf(more, 0)
      const next = after(state, events)
      if (opening === undefined) {
        assert.deepInclude(next, { current_level: state.current_level, batch_number: state.batch_number })
        return assert.deepStrictEqual(next.batch, state.batch)
      }
      assert.strictEqual(opening.batch, nextBatch(state, opening.level))
      assert.strictEqual(opening.from, state.current_level)
      assert.deepInclude(next, { current_level: opening.level, batch_number: opening.batch })
      assert.deepStrictEqual(next.batch, { _tag: "NotStarted" })
    }))

  it("stays on the ladder: never below the floor, and one rung away at most unless it restarts", () =>
    always((state, one, ceiling) => {
      const next = after(state, decideMark(state, one, ceiling).events).current_level
      assert.isAtLeast(compare(next, state.start_level), 0)
      const restarts = one._tag === "RetroChanges" || one._tag === "RestartFromFloor"
      if (restarts) assert.strictEqual(next, state.start_level)
      else assert.isAtMost(Math.abs(compare(next, state.current_level)), 1)
    }))

  it("leads up for a clean retrospective and an advance, and down or nowhere for all others", () =>
    always((state, one, ceiling) => {
      const next = after(state, decideMark(state, one, ceiling).events).current_level
      const step = compare(next, state.current_level)
      const climbs = one._tag === "AdvanceLevel" || (one._tag === "RetroClean" && state.current_level !== ceiling)
      if (climbs) assert.strictEqual(step, state.current_level === "xhigh" ? 0 : 1)
      else assert.isAtMost(step, 0)
    }))

  it("heeds the ceiling for a clean retrospective alone; elsewhere it is only recorded", () =>
    fc.assert(fc.property(manifest, mark, level, level, (state, one, a, b) => {
      fc.pre(one._tag !== "RetroClean")
      const unjudged = (ceiling: Level) => {
        const decision = decideMark(state, one, ceiling)
        return { ...decision, events: decision.events.map((event) => ({ ...event, ceiling: "" })) }
      }
      assert.deepStrictEqual(unjudged(a), unjudged(b))
    })))

  it("keeps REASON and DETAILS verbatim in its events", () =>
    fc.assert(fc.property(manifest, marks.RetroChanges(), marks.AddressFailed(), (state, changes, failed) => {
      const [record] = records(decideMark(state, changes, "xhigh").events)
      assert.deepStrictEqual(record?.outcome, { _tag: "RetrospectiveChanges", reason: changes.reason })
      const escalation = decideMark(state, failed, "xhigh")
      assert.deepStrictEqual(escalation.events, [
        { _tag: "AddressFailed", level: state.current_level, batch: state.batch_number, details: failed.details }
      ])
      const { outcome } = escalation
      assert.isTrue(outcome._tag === "HandoffHuman" && outcome.prompt.endsWith(failed.details.text))
    })))
})

describe("a mark that changes a level or records an outcome", () => {
  it("is never without events; the primitives alone have no-ops, at the edge and at the floor", () =>
    always((state, one, ceiling) => {
      const none = decideMark(state, one, ceiling).events.length === 0
      const noOp = (one._tag === "AdvanceLevel" && state.current_level === "xhigh") ||
        (one._tag === "DropLevel" && state.current_level === state.start_level)
      assert.strictEqual(none, noOp)
    }))

  it("reaches the fixed point exactly when the outcome says so", () =>
    always((state, one, ceiling) => {
      const { events, outcome } = decideMark(state, one, ceiling)
      const reached = events.filter((event) => event._tag === "FixedPointReached")
      assert.lengthOf(reached, outcome._tag === "DoneFixedPoint" ? 1 : 0)
      if (reached.length > 0) {
        const { batch_number: batch, current_level } = state
        assert.deepStrictEqual(after(state, events).fixed_point, { level: current_level, batch, ceiling })
      }
    }))
})
