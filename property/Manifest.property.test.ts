// Manifest: the fold of a log: it splits anywhere, forgets nothing, and keeps its invariants in every history.
// Laws that hold for any lines are tested with lines that make no sense; only invariants need real ones.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Slot } from "../src/run/Batch.ts"
import type { Commit } from "../src/log/StreamKind.ts"
import type { Event } from "../src/run/Event.ts"
import { compare, levels, rank } from "../src/run/Level.ts"
import { evolve, fold, initial, type Manifest, nextBatch, replay } from "../src/run/Manifest.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"
import { eachHistory, histories } from "./histories.ts"

const { anyCommits, event, events, history, manifest } = arbitraries

/** A log whose first line creates the run and whose other lines are any facts in any order. */
const anyLog: fc.Arbitrary<ReadonlyArray<Commit<Event>>> = fc.tuple(events.RunCreated(), anyCommits).map((
  [first, rest]
) => [
  { seq: 1, at: "2030-01-01T00:00:00.000Z", events: [first] },
  ...rest.map((line) => ({ ...line, seq: line.seq + 1 }))
])

const logs = fc.oneof(anyLog, history().map(({ commits }) => commits))

/** The state after every line. */
const states = (commits: ReadonlyArray<Commit<Event>>): ReadonlyArray<Manifest> =>
  commits.map((_, i) => fold(commits.slice(0, i + 1))).filter((state) => state !== null)

const slotsOf = ({ batch }: Manifest): ReadonlyArray<Slot> => batch._tag === "Started" ? batch.slots : []
const frozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(frozen)
  }
  return value
}

/** Every named history, split behind each of its lines. */
const splits = Object.values(histories).flatMap(({ commits }) =>
  commits.map((_, at): [ReadonlyArray<Commit<Event>>, number] => [commits, at])
)

describe("fold", () => {
  it("splits anywhere: the fold of a part, replayed with the rest, is the fold of the whole", () =>
    fc.assert(
      fc.property(logs, fc.nat(), (commits, at) => {
        const cut = 1 + at % commits.length
        const part = fold(commits.slice(0, cut))
        assert.isNotNull(part)
        if (part !== null) assert.deepStrictEqual(replay(part, commits.slice(cut)), fold(commits))
      }),
      { numRuns: 300, examples: splits }
    ))

  it("gives the same state for the same lines, and changes neither lines nor earlier states", () =>
    fc.assert(fc.property(logs, (commits) => {
      const first = fold(frozen(commits))
      assert.deepStrictEqual(fold(commits), first)
      if (first !== null) assert.deepStrictEqual(replay(frozen(first), commits), replay(first, commits))
    })))

  it("takes nothing but information from the times of lines", () =>
    fc.assert(fc.property(logs, (commits) => {
      const timeless = (state: Manifest | null) =>
        JSON.stringify(state, (key, value: unknown) => key === "at" || key === "since" ? "" : value)
      assert.strictEqual(timeless(fold(commits.map((line) => ({ ...line, at: "" })))), timeless(fold(commits)))
    })))

  it("begins with the creation of the run", () =>
    fc.assert(fc.property(events.RunCreated(), anyCommits, (created, rest) => {
      assert.deepStrictEqual(fold([{ seq: 1, at: "", events: [created] }]), initial(created))
      assert.isNull(fold([{ seq: 1, at: "", events: [] }, ...rest]))
    })))
})

describe("after any lines, sensible or not", () => {
  it("the run is the same run, its history has only grown, and no batch number is given out again", () =>
    fc.assert(
      fc.property(manifest, fc.oneof(event, events.BatchOpened()), fc.nat(), (before, one, seq) => {
        const after = evolve(before, one, seq, "2030-01-01T00:00:00.000Z")
        for (
          const key of ["run_id", "repo_id", "mode", "target_key", "start_level", "created_at", "worktree"] as const
        ) {
          assert.strictEqual(after[key], before[key])
        }
        assert.deepStrictEqual(after.level_history.slice(0, before.level_history.length), before.level_history)
        assert.isAtLeast(after.batches, before.batches)
        for (const level of levels) assert.isAtLeast(nextBatch(after, level), nextBatch(before, level))
      }),
      { numRuns: 500 }
    ))

  it("the slots of a started batch are numbered from 1 to its size", () =>
    fc.assert(fc.property(anyLog, (commits) => {
      for (const state of states(commits)) {
        const { batch } = state
        if (batch._tag !== "Started") continue
        assert.deepStrictEqual(batch.slots.map(({ slot }) => slot), Array.from({ length: batch.size }, (_, i) => i + 1))
      }
    })))

  it("a fact about another batch leaves the current one as it is", () =>
    fc.assert(
      fc.property(manifest, event, (before, one) => {
        const ofBatch = ["BatchStarted", "BatchFailed", "BatchCompleted"].includes(one._tag)
        if (!("batch" in one) || !("slot" in one || ofBatch)) return
        const here = { level: before.current_level, batch: before.batch_number }
        const level = before.current_level === "low" ? "medium" : "low"
        const elsewhere: ReadonlyArray<Event> = [{ ...one, ...here, batch: here.batch + 1 }, { ...one, ...here, level }]
        for (const fact of elsewhere) {
          const after = evolve(before, fact, 9, "")
          assert.deepStrictEqual({ ...after, stopped_at: 0 }, { ...before, stopped_at: 0 })
        }
      }),
      { numRuns: 300 }
    ))
})

describe("in every history", () => {
  const throughout = (law: (state: Manifest, before: Manifest, line: Commit<Event>) => void) =>
    fc.assert(
      fc.property(history(), ({ commits }) => {
        const all = states(commits)
        all.forEach((state, i) => {
          const line = commits[i]
          if (line !== undefined) law(state, all[i - 1] ?? state, line)
        })
      }),
      { numRuns: 300, examples: eachHistory }
    )

  it("the current level is within the ladder, from the floor to xhigh", () =>
    throughout(({ current_level, start_level }) => {
      assert.isAtLeast(compare(current_level, start_level), 0)
      assert.isAtMost(rank(current_level), 3)
    }))

  it("the current batch is the newest of its level, and once started has the size the run records", () =>
    throughout((state) => {
      assert.strictEqual(state.batch_number, state.opened[state.current_level])
      if (state.batch._tag === "Started") assert.strictEqual(state.batch.size, state.batch_size)
    }))

  it("batch numbers are counted per level from 1 and never used again", () =>
    fc.assert(
      fc.property(history(), ({ commits, manifest: last }) => {
        const used = { low: 0, medium: 0, high: 0, xhigh: 0, [last.start_level]: 1 }
        for (const one of commits.flatMap((line) => line.events)) {
          if (one._tag === "BatchOpened") assert.strictEqual(one.batch, ++used[one.level])
        }
        assert.deepStrictEqual(last.opened, used)
      }),
      { numRuns: 300, examples: eachHistory }
    ))

  it("a batch is started at most once, and they are counted", () =>
    fc.assert(
      fc.property(history(), ({ commits, manifest: last }) => {
        const starts = commits.flatMap((line) => line.events).flatMap((one) =>
          one._tag === "BatchStarted" ? [`${one.level}/${one.batch}`] : []
        )
        assert.lengthOf([...new Set(starts)], starts.length)
        assert.strictEqual(last.batches, starts.length)
      }),
      { numRuns: 300, examples: eachHistory }
    ))

  it("the history holds exactly the outcomes that were recorded, in order", () =>
    fc.assert(fc.property(logs, (commits) => {
      const recorded = commits.flatMap(({ at, events: line }) =>
        line.flatMap((one) =>
          one._tag === "LevelOutcomeRecorded"
            ? [{ level: one.level, batch_number: one.batch, outcome: one.outcome, at }]
            : []
        )
      )
      assert.deepStrictEqual(fold(commits)?.level_history, recorded)
    })))

  it("a finished review is final: it stays until the next batch is opened", () =>
    throughout((state, before, { events: line }) => {
      if (line.some(({ _tag }) => _tag === "BatchOpened")) return
      for (const slot of slotsOf(before).filter(({ _tag }) => _tag === "Finished")) {
        assert.deepStrictEqual(slotsOf(state)[slot.slot - 1], slot)
      }
    }))

  it("attempts of a slot only grow, by one at a time", () =>
    throughout((state, before, { events: line }) => {
      if (line.some(({ _tag }) => _tag === "BatchOpened" || _tag === "BatchStarted")) return
      slotsOf(state).forEach(({ attempts }, i) => {
        const earlier = slotsOf(before)[i]?.attempts ?? 0
        assert.include([earlier, earlier + 1], attempts)
      })
    }))

  it("a fixed point is about the current batch", () =>
    throughout(({ batch_number, current_level, fixed_point }) => {
      if (fixed_point === null) return
      assert.deepInclude(fixed_point, { level: current_level, batch: batch_number, ceiling: current_level })
    }))

  it("the line of a stop is a line that exists", () =>
    throughout(({ stopped_at }, _, { seq }) => {
      assert.isAtMost(stopped_at, seq)
      assert.notStrictEqual(stopped_at, 1)
    }))

  it("a stop is remembered exactly when a stop, a person or --fresh ended a reviewer in that line", () =>
    throughout(({ stopped_at }, _, { events: line, seq }) => {
      const causes = ["Stop", "Interrupt", "Fresh"]
      const asked = line.some((one) => one._tag === "ReviewStopped" && causes.includes(one.cause))
      assert.strictEqual(stopped_at === seq, asked)
    }))
})
