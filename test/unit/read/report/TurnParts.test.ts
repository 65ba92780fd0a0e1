// The rounds of a run and the tasks of its plan, as parts of a report.
import { assert, describe, it } from "vitest"
import type { ConvergeEvent } from "../../../../src/drive/converge/Event.ts"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import type { WorkRecords } from "../../../../src/read/report/ReportData.ts"
import { taskParts, turnParts } from "../../../../src/read/report/Turns.ts"
import { answersByName } from "../../../../src/read/RunFindings.ts"
import { digest } from "../../run/events.ts"
import { answered, closed, concluded, roundStarted, tested, worked } from "../../drive/converge/streams.ts"
import * as plans from "../../drive/plan/histories.ts"
import { factsOf } from "../views.ts"

const bare: WorkRecords = { printed: new Map(), diffs: new Map() }
const name = "a".repeat(16)
const parts = (...driver: ReadonlyArray<ConvergeEvent>) =>
  turnParts(factsOf({ driver }), bare, new Map([[name, "Guard a null user"]]))
const planned = (...events: ReadonlyArray<PlanEvent | ReadonlyArray<PlanEvent>>) => factsOf({ plan: events.flat() })
const cycle = (...events: ReadonlyArray<PlanEvent | ReadonlyArray<PlanEvent>>) =>
  turnParts(planned(plans.cycleStarted(), ...events), bare, new Map())[0]
const marked = { _tag: "TasksMarked", cycle: 1, tasks: [0], plan: digest } as const

describe("a round over findings", () => {
  it("says what it answered, and its answers", () => {
    const [round] = parts(
      roundStarted(),
      ...worked(1, "round-1/address"),
      answered(1, 1, ["ci.yml"]),
      ...tested(1, 1, 0),
      concluded(1, "b"),
      closed(1)
    )
    assert.strictEqual(round?.title, "Round 1: 1 finding of low batch 1")
    assert.deepStrictEqual(round?.answers, [
      { fingerprint: name, title: "Guard a null user", answer: "fixed", why: "mended" }
    ])
    assert.deepStrictEqual(round?.facts, [
      { name: "Work", value: "1 agent, 1 test run" },
      { name: "Protected", value: "agent 1 changed ci.yml" }
    ])
    assert.deepStrictEqual(round?.verdict, { tone: "good", text: "answered, and the tests pass" })
  })

  it("shows commits, refusals and what was put back", () => {
    const commit = { _tag: "FixesCommitted", round: 1, agent: 1, commit: "c0ffee", output: { text: "" } } as const
    const [round] = parts(
      roundStarted(),
      { _tag: "WorktreeRestored", round: 1, snapshot: 2 },
      commit,
      { ...commit, commit: null, output: { text: "a hook failed" } }
    )
    assert.deepStrictEqual(round?.facts.slice(1).map(({ value }) => value), [
      "the worktree was put back to snapshot 2",
      "c0ffee",
      "git refused: a hook failed"
    ])
  })

  it("follows the tests that ran outside of any", () => {
    const [outside, round] = parts(...tested(1, 0, 1), roundStarted())
    assert.deepStrictEqual([outside?.id, round?.id], ["round-0", "round-1"])
    assert.strictEqual(outside?.verdict.tone, "bad")
  })
})

describe("a round over tasks", () => {
  it("shows what was claimed, and how it was reviewed", () => {
    const one = cycle(
      plans.worked(1, "cycle-1/implement"),
      plans.taken(1, [0], ["ci.yml"]),
      plans.green(1, "b"),
      plans.reviewed(2, 0, "NEEDS_FIXES"),
      plans.reviewed(3, 1, "ACCEPTABLE"),
      marked,
      plans.closed("Marked")
    )
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

  it("shows its analysis, what git refused, and what was put back", () => {
    const dropped = [{ issue: "No spread.", task: 1, quote: "spread(prices)" }]
    const weighed = plans.analysed(4).map((event) => event._tag === "ReviewAnalysed" ? { ...event, dropped } : event)
    const one = cycle(
      weighed,
      { _tag: "FixesCommitted", round: 1, agent: 1, commit: null, output: { text: "a hook failed" } },
      { _tag: "WorktreeRestored", round: 1, snapshot: 3 },
      plans.taken(1)
    )
    assert.deepStrictEqual(one?.facts.slice(1).map(({ value }) => value), [
      "fixes are needed, 1 issue dropped",
      `No spread. (belongs to task 1: "spread(prices)")`,
      "the worktree was put back to snapshot 3",
      "git refused: a hook failed",
      "agent 1: no task is named"
    ])
  })
})

describe("a task", () => {
  it("is done, in work, or was not done, whatever later rounds say of it", () => {
    const verdicts = (...events: ReadonlyArray<PlanEvent | ReadonlyArray<PlanEvent>>) =>
      taskParts(planned(...events).rounds).map(({ verdict }) => verdict.text)
    assert.deepStrictEqual(verdicts(plans.cycleStarted()), ["in round 1", "in round 1"])
    const first = [plans.cycleStarted(), marked, plans.closed("Limit")]
    assert.deepStrictEqual(verdicts(...first), ["done in round 1", "not done in round 1"])
    assert.deepStrictEqual(verdicts(...first, plans.cycleStarted(2)), ["done in round 1", "in round 2"])
  })
})

it("answers have the names of findings, the last one of each round", () => {
  const changed: ConvergeEvent = {
    _tag: "RoundAnswered",
    round: 2,
    agent: 2,
    answers: [{ fingerprint: name, answer: "not-done", why: "?" }, { fingerprint: name, answer: "refuted", why: "no" }],
    protectedFiles: []
  }
  const { rounds } = factsOf({ driver: [roundStarted(), answered(1, 1), roundStarted({ round: 2 }), changed] })
  const answers = answersByName(rounds)
  assert.deepStrictEqual(answers.get(name)?.map(({ answer, round }) => [round, answer]), [[1, "fixed"], [2, "refuted"]])
})
