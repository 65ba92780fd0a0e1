// The cycles and tasks of a plan run as parts of a report.
import { assert, describe, it } from "vitest"
import { cycleParts, taskParts } from "../../../../src/read/report/Turns.ts"
import type { WorkRecords } from "../../../../src/read/report/ReportData.ts"
import { digest } from "../../run/events.ts"
import {
  after,
  analysed,
  closed,
  content,
  cycleStarted,
  type Facts,
  green,
  reviewed,
  taken,
  tested,
  worked
} from "../../drive/plan/histories.ts"

const bare: WorkRecords = { agents: new Map(), tests: new Map(), printed: new Map(), diffs: new Map() }
const cycle = (...events: Facts) => cycleParts(after(cycleStarted(), ...events), bare)[0]
const marked = { _tag: "TasksMarked", cycle: 1, tasks: [0], plan: digest } as const

describe("a cycle", () => {
  it("tells its tasks, what it claimed, and how it was reviewed", () => {
    const one = cycle(
      worked(1, "cycle-1/implement"),
      taken(1, [0], ["ci.yml"]),
      green(1, "b"),
      reviewed(2, 0, "NEEDS_FIXES"),
      reviewed(3, 1, "ACCEPTABLE"),
      { _tag: "CycleAccepted", cycle: 1, because: "Acceptable", content: content("b") },
      marked,
      closed("Marked")
    )
    assert.strictEqual(one?.title, "Cycle 1: task 0 One; task 1 Two")
    assert.deepStrictEqual(one?.verdict, { tone: "good", text: "accepted, its tasks are marked as done" })
    assert.deepInclude(one?.facts ?? [], { name: "Claimed", value: "task 0" })
    assert.deepInclude(one?.facts ?? [], { name: "Protected", value: "agent 1 changed ci.yml" })
    assert.deepStrictEqual(one?.reviews.map(({ title, verdict }) => [title, verdict.text]), [
      ["First review, by agent 2", "needs fixes"],
      ["Review after fix 1, by agent 3", "acceptable"]
    ])
    assert.deepStrictEqual(one?.reviews[0]?.issues, [
      { severity: "major", place: "a.ts:1", text: "It is wrong.\n\nMend it." }
    ])
    assert.strictEqual(one?.work.length, 4)
  })

  it("tells what was weighed, what git refused, and what was put back", () => {
    const dropped = [{ issue: "No spread.", task: 1, quote: "spread(prices)" }]
    const weighed = analysed(4).map((event) => event._tag === "ReviewAnalysed" ? { ...event, dropped } : event)
    const one = cycle(
      weighed,
      { _tag: "FixesCommitted", round: 1, agent: 1, commit: null, output: { text: "a hook failed" } },
      { _tag: "WorktreeRestored", round: 1, snapshot: 3 },
      taken(1)
    )
    assert.deepStrictEqual(one?.facts.slice(1).map(({ value }) => value), [
      "fixes are needed, 1 issue dropped",
      `No spread. (belongs to task 1: "spread(prices)")`,
      "the worktree was put back to snapshot 3",
      "git refused: a hook failed",
      "agent 1: no task is named"
    ])
    assert.strictEqual(one?.verdict.text, "not ended")
  })

  it("follows the tests that ran outside of any", () =>
    assert.deepStrictEqual(cycleParts(after(tested(1, 0, 0), cycleStarted()), bare).map(({ id }) => id), [
      "cycle-0",
      "cycle-1"
    ]))
})

describe("a task", () => {
  it("is done, in work, or was not done, whatever later cycles say of it", () => {
    const told = (...events: Facts) => taskParts(after(...events)).map(({ verdict }) => verdict.text)
    assert.deepStrictEqual(told(cycleStarted()), ["in cycle 1", "in cycle 1"])
    const first = [cycleStarted(), marked, closed("Limit")]
    assert.deepStrictEqual(told(...first), ["done in cycle 1", "not done in cycle 1"])
    assert.deepStrictEqual(told(...first, cycleStarted(2)), ["done in cycle 1", "in cycle 2"])
  })
})
