// Climb: the contract's recipe on decisions and marks alone: it ends, at the ceiling, with every level clean.
// Reviewers and retrospectives may find what they like; only that they stop finding is assumed.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { decide, type DecideContext } from "../src/run/Decide.ts"
import type { Identity } from "../src/run/Identity.ts"
import { compare, type Level, levels, rank } from "../src/run/Level.ts"
import { type Manifest, replay } from "../src/run/Manifest.ts"
import type { Mark } from "../src/run/Mark.ts"
import { arbitraries, type Move, moves } from "../src/testing/Arbitraries.ts"

const files = { _tag: "Known", head: null, tree: "t", base: null } as const
const paths = { findings: "/f", transcripts: "/t", logs: [], history: "/h" }

interface Climbed {
  readonly end: Manifest
  readonly visited: ReadonlyArray<Level>
}

/** Follows the recipe. `clean` is asked of every review, `patterns` of every retrospective, both until they run dry. */
const climb = (begin: Manifest, ceiling: Level, clean: Array<boolean>, patterns: Array<boolean>): Climbed => {
  // A commit alone names the whole target.
  const now: Identity = begin.target._tag === "Commit" ? { ...files, head: begin.target.sha } : files
  const context: DecideContext = { ceiling, retries: 0, openedAt: 1, identity: now, maxBatches: null, paths }
  const visited: Array<Level> = []
  let state = begin
  for (let seq = 2; seq < 2000; seq++) {
    const decision = decide(state, context)
    const mark = (one: Mark): Move => ({ _tag: "MarkRun", mark: one, ceiling })
    const next = (): Move | null => {
      if (decision._tag === "RunReviews") return { _tag: "StartBatch", size: 2, jobs: 2, identity: now }
      if (decision._tag === "AwaitReviews") {
        return { _tag: "Finish", pick: 0, clean: clean.pop() ?? true, identity: now }
      }
      if (decision.outcome._tag !== "HandoffAgent") return null
      if (decision.outcome.action === "AddressBatch") return mark({ _tag: "AddressPassed" })
      return mark(patterns.pop() ? { _tag: "RetroChanges", reason: { text: "r" } } : { _tag: "RetroClean" })
    }
    const move = next()
    visited.push(state.current_level)
    if (move === null) {
      assert.deepStrictEqual(decision, { _tag: "Halt", outcome: { _tag: "DoneFixedPoint" } })
      return { end: state, visited }
    }
    state = replay(state, [{ seq, at: "2026-01-01T00:00:00.000Z", events: moves.eventsOf(state, move) }])
  }
  return assert.fail("the recipe does not end")
}

const runs = arbitraries.ladder().chain(({ ceiling, floor }) =>
  fc.record({
    begin: arbitraries.events.RunCreated({ startLevel: fc.constant(floor) }).map((one) => moves.play(one, []).manifest),
    ceiling: fc.constant(ceiling),
    clean: fc.array(fc.boolean(), { maxLength: 20 }),
    patterns: fc.array(fc.boolean(), { maxLength: 6 })
  })
)

describe("the recipe", () => {
  it("ends in the fixed point at the ceiling, and has never left floor and ceiling on its way", () =>
    fc.assert(fc.property(runs, ({ begin, ceiling, clean, patterns }) => {
      const { end, visited } = climb(begin, ceiling, [...clean], [...patterns])
      assert.strictEqual(end.current_level, ceiling)
      for (const level of visited) {
        assert.isAtLeast(compare(level, begin.start_level), 0)
        assert.isAtMost(compare(level, ceiling), 0)
      }
    })))

  it("ends only after every level from its last descent up to the ceiling was clean, without a gap", () =>
    fc.assert(fc.property(runs, ({ begin, ceiling, clean, patterns }) => {
      const records = climb(begin, ceiling, [...clean], [...patterns]).end.level_history
      const last = records.findLastIndex(({ outcome }) => outcome._tag !== "Clean")
      const climbed = records.slice(last + 1).map(({ level }) => level)
      const from = last < 0 ? begin.start_level : climbed[0] ?? ceiling
      assert.deepStrictEqual(climbed, levels.slice(rank(from), rank(ceiling)))
    })))

  it("without any finding visits each level once", () =>
    fc.assert(fc.property(runs, ({ begin, ceiling }) => {
      const { end } = climb(begin, ceiling, [], [])
      assert.strictEqual(end.batches, rank(ceiling) - rank(begin.start_level) + 1)
    })))
})
