// The way of a run, from its lines: verdicts, steps, times, tokens, and the findings of each batch.
import { assert, describe, it } from "vitest"
import { findingHistory } from "../../../../src/review/findings/History.ts"
import type { ReviewedBatch } from "../../../../src/review/findings/ReviewedBatch.ts"
import type { Commit } from "../../../../src/log/StreamKind.ts"
import { pathPart } from "../../../../src/read/report/Path.ts"
import type { Event, EventOf } from "../../../../src/run/Event.ts"
import type { Level } from "../../../../src/run/Level.ts"
import { batchOf, wrote } from "../../review/findings/reviewedBatches.ts"
import { batchStarted, created, failed, finished, started, tree } from "../../run/events.ts"

const usage = { input: 100, cached: 0, output: 10, reasoning: 0 }

/** Lines, one second after the other. */
const commits = (...lines: ReadonlyArray<ReadonlyArray<Event>>): ReadonlyArray<Commit<Event>> =>
  lines.map((events, i) => ({ seq: i + 1, at: new Date(1000 * i).toISOString(), events }))

const opened = (level: Level, batch: number, from: Level, cause: EventOf<"BatchOpened">["cause"]): Event => ({
  _tag: "BatchOpened",
  level,
  batch,
  from,
  cause
})

/** A batch of two reviews: its beginning in one line, each review in its own. */
const reviewed = (
  at: { readonly level: Level; readonly batch: number },
  ...verdicts: ReadonlyArray<"Clean" | "HasIssues">
) => [
  [batchStarted(at), ...[1, 2].map((slot) => started({ ...at, slot }))],
  ...verdicts.map((verdict, i): ReadonlyArray<Event> => [finished(verdict, { ...at, slot: i + 1, usage })])
]

const pathOf = (lines: ReadonlyArray<Commit<Event>>, batches: ReadonlyArray<ReviewedBatch> = []) =>
  pathPart(lines, findingHistory(batches), batches)

describe("a batch", () => {
  it("took from its first line to its last review, and used what its reviews used", () => {
    const at = { level: "low", batch: 1 } as const
    const { batches, levels } = pathOf(commits(
      [created()],
      ...reviewed(at, "Clean", "HasIssues"),
      [{ _tag: "BatchCompleted", ...at, identity: tree("t1") }],
      [],
      [{ _tag: "LevelOutcomeRecorded", ...at, outcome: { _tag: "Addressed", count: 1 }, ceiling: "xhigh" }]
    ))
    assert.deepStrictEqual(batches, [{
      ...at,
      verdict: "Issues",
      step: "Began",
      reviews: 2,
      withIssues: 1,
      size: 2,
      from: 1000,
      to: 4000,
      used: { ...usage, input: 200, output: 20 },
      counts: null,
      rounds: []
    }])
    assert.deepInclude(levels[0], { level: "low", batches: 1, reviews: 2, millis: 3000 })
  })

  it("has the rounds in which agents answered it", () => {
    const at = { level: "low", batch: 1 } as const
    const driver = { agents: usage, rounds: new Map([["low batch 1", [1, 2]]]) }
    const path = pathPart(commits([created()], ...reviewed(at, "Clean", "Clean")), findingHistory([]), [], driver)
    assert.deepStrictEqual([path.batches[0]?.rounds, path.agents], [[1, 2], usage])
  })

  it("is clean, waived, failed or not finished", () => {
    const at = (batch: number) => ({ level: "low", batch }) as const
    const next = (batch: number): ReadonlyArray<Event> => [opened("low", batch, "low", "Dropped")]
    const waived: Event = { _tag: "BatchWaived", ...at(2), block: 1, findings: [] }
    const { batches } = pathOf(commits(
      [created()],
      ...reviewed(at(1), "Clean", "Clean"),
      next(2),
      ...reviewed(at(2), "Clean", "HasIssues"),
      [waived],
      next(3),
      ...reviewed(at(3), "Clean"),
      [failed({ ...at(3), slot: 2, usage }), { _tag: "BatchFailed", ...at(3), slots: [2] }],
      next(4),
      ...reviewed(at(4), "HasIssues")
    ))
    assert.deepStrictEqual(batches.map(({ verdict }) => verdict), ["Clean", "Waived", "Failed", "Unfinished"])
    assert.strictEqual(batches[2]?.used.input, 200)
  })

  it("climbs, drops, stays or restarts", () => {
    const path: ReadonlyArray<readonly [Level, number, EventOf<"BatchOpened">["cause"]]> = [
      ["medium", 1, "Advanced"],
      ["medium", 2, "Dropped"],
      ["high", 1, "Stale"],
      ["medium", 3, "Dropped"],
      ["low", 2, "TargetChanged"],
      ["low", 3, "Restarted"]
    ]
    let from: Level = "low"
    const lines = path.flatMap(([level, batch, cause]) => {
      const line = [opened(level, batch, from, cause)]
      from = level
      return [line, ...reviewed({ level, batch }, "Clean", "Clean")]
    })
    const { batches } = pathOf(
      commits([created()], ...reviewed({ level: "low", batch: 1 }, "Clean", "Clean"), ...lines)
    )
    assert.deepStrictEqual(batches.map(({ step }) => step), [
      "Began",
      "Climbed",
      "Stayed",
      "Climbed",
      "Dropped",
      "Restarted",
      "Restarted"
    ])
  })

  it("counts what it reports, what is new or back, what it is the first to lack, what nobody reported; not where it was not read", () => {
    const lines = commits(
      [created()],
      ...reviewed({ level: "low", batch: 1 }, "Clean", "HasIssues"),
      [opened("low", 2, "low", "Dropped")],
      ...reviewed({ level: "low", batch: 2 }, "Clean", "HasIssues"),
      [opened("low", 3, "low", "Dropped")],
      ...reviewed({ level: "low", batch: 3 }, "Clean", "HasIssues")
    )
    const [a, b] = [wrote(1), wrote(1, { title: "Close the file", path: "src/b.ts" })]
    const first = [a, wrote(2), b]
    const { batches } = pathOf(lines, [batchOf(1, first), batchOf(2, [a]), batchOf(3, first, { read: false })])
    assert.deepStrictEqual(batches.map(({ counts }) => counts), [
      { open: 2, new: 2, gone: 0, unreported: { more: 1, low: 0, high: 6 } },
      { open: 1, new: 0, gone: 1, unreported: null },
      null
    ])
  })
})
