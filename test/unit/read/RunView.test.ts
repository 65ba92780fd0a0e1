// RunView: what the logs of a run fold to: batches, rounds, agents and tests, for review runs and plan runs.
import { assert, describe, it } from "vitest"
import type { ConvergeEvent } from "../../../src/drive/converge/Event.ts"
import type { PlanEvent } from "../../../src/drive/plan/Event.ts"
import { endOf, roundTitle } from "../../../src/read/words.ts"
import { reviewsOf, type RoundView } from "../../../src/read/RunView.ts"
import type { Event, EventOf } from "../../../src/run/Event.ts"
import type { Level } from "../../../src/run/Level.ts"
import { agentStarted } from "../drive/converge/events.ts"
import { answered, closed, concluded, driverStarted, roundStarted, tested, worked } from "../drive/converge/streams.ts"
import * as plans from "../drive/plan/histories.ts"
import { batchStarted, created, digest, failed, finished, started, tree } from "../run/events.ts"
import { factsOf } from "../../support/views.ts"

const usage = { input: 100, cached: 0, output: 10, reasoning: 0 }

const opened = (level: Level, batch: number, from: Level, cause: EventOf<"BatchOpened">["cause"]): Event => ({
  _tag: "BatchOpened",
  level,
  batch,
  from,
  cause
})

/** A batch of two reviews: the start in one line, each review in its own line. */
const reviewed = (
  at: { readonly level: Level; readonly batch: number },
  ...verdicts: ReadonlyArray<"Clean" | "HasIssues">
) => [
  [batchStarted(at), ...[1, 2].map((slot) => started({ ...at, slot }))],
  ...verdicts.map((verdict, i): ReadonlyArray<Event> => [finished(verdict, { ...at, slot: i + 1, usage })])
]

describe("a batch", () => {
  it("lasts from its first line to its last review, and sums the tokens of its reviews", () => {
    const at = { level: "low", batch: 1 } as const
    const { batches, ...facts } = factsOf({
      review: [
        ...reviewed(at, "Clean", "HasIssues"),
        [{ _tag: "BatchCompleted", ...at, identity: tree("t1") }],
        [],
        [{ _tag: "LevelOutcomeRecorded", ...at, outcome: { _tag: "Addressed", count: 1 }, ceiling: "xhigh" }]
      ]
    })
    const [batch] = batches
    assert.deepInclude(batch, { ...at, verdict: "Issues", step: "Began", from: 1000, to: 4000 })
    assert.deepStrictEqual(batch?.used, { ...usage, input: 200, output: 20 })
    assert.strictEqual(reviewsOf({ ...facts, batches, rounds: [] }), 2)
    assert.deepStrictEqual(facts.records.map(({ outcome }) => outcome._tag), ["Addressed"])
    assert.deepStrictEqual(facts.usage.reviews, batch?.used)
  })

  it("is clean, waived, failed, stopped or unfinished", () => {
    const at = (batch: number) => ({ level: "low", batch }) as const
    const next = (batch: number): ReadonlyArray<Event> => [opened("low", batch, "low", "Dropped")]
    const { batches, failures } = factsOf({
      review: [
        ...reviewed(at(1), "Clean", "Clean"),
        next(2),
        ...reviewed(at(2), "Clean", "HasIssues"),
        [{ _tag: "BatchWaived", ...at(2), block: 1, findings: [] }],
        next(3),
        ...reviewed(at(3), "Clean"),
        [failed({ ...at(3), slot: 2, usage }), { _tag: "BatchFailed", ...at(3), slots: [2] }],
        next(4),
        ...reviewed(at(4), "HasIssues"),
        next(5),
        ...reviewed(at(5)),
        [{ _tag: "ReviewStopped", ...at(5), slot: 1, attempt: 1, cause: "Stop" }]
      ]
    })
    assert.deepStrictEqual(batches.map(({ verdict }) => verdict), [
      "Clean",
      "Waived",
      "Failed",
      "Unfinished",
      "Stopped"
    ])
    assert.strictEqual(batches[2]?.used.input, 200)
    assert.strictEqual(failures, 1)
  })

  it("is a climb, a drop, a repeat or a restart", () => {
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
    const { batches } = factsOf({ review: [...reviewed({ level: "low", batch: 1 }, "Clean", "Clean"), ...lines] })
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
})

it("a run knows when it started, who opened it, and its last line", () => {
  const facts = factsOf({
    review: [[created({ createdAt: "2030-01-01T00:00:00.000Z", by: "Mark", because: "LevelMismatch" })], []],
    driver: [driverStarted(), driverStarted(), driverStarted()]
  })
  assert.deepInclude(facts, {
    worktree: "/repo",
    plan: null,
    created: Date.UTC(2030, 0, 1),
    updated: 3000,
    head: { seq: 2, hash: "h1" },
    opened: { because: "LevelMismatch", byMark: true },
    unread: null
  })
})

it("an event of a newer version ends what is known; everything before it stays", () => {
  const facts = factsOf({
    review: [...reviewed({ level: "low", batch: 1 }, "Clean"), [JSON.parse(`{"_tag":"Later"}`)]]
  })
  assert.strictEqual(facts.unread?._tag, "LogTooNew")
  assert.strictEqual(facts.batches.length, 1)
})

const rounds = (...driver: ReadonlyArray<ConvergeEvent>) => factsOf({ driver }).rounds
const end = (round: RoundView | undefined) => {
  const { text, tone } = round === undefined ? assert.fail("no round") : endOf(round)
  return `${tone}: ${text}`
}

/** An agent's answer to one finding of the first round. */
const answeredAs = (answer: "refuted" | "not-done", agent: number): ConvergeEvent => ({
  _tag: "RoundAnswered",
  round: 1,
  agent,
  answers: [{ fingerprint: "a".repeat(16), answer, why: "no" }],
  protectedFiles: []
})

describe("a round over findings", () => {
  it("has its agents, tests, answers and end", () => {
    const [round] = rounds(
      roundStarted(),
      ...worked(1, "round-1/address"),
      answered(1, 1, ["ci.yml"]),
      ...tested(1, 1, 0),
      concluded(1, "b"),
      closed(1)
    )
    assert.strictEqual(round === undefined ? "" : roundTitle(round), "Round 1: 1 finding of low batch 1")
    assert.deepStrictEqual(round?.agents.map(({ from, state, to }) => [state.agent, from, to]), [[1, 2000, 3000]])
    assert.deepStrictEqual(round?.tests.map(({ from, to }) => [from, to]), [[6000, 7000]])
    assert.deepStrictEqual(round?.protectedFiles, [{ agent: 1, file: "ci.yml" }])
    assert.deepStrictEqual([round?.from, round?.to, end(round)], [1000, 9000, "good: answered, and the tests pass"])
  })

  it("ends with its mark, or with the reason why it has none", () => {
    const ended = (...events: ReadonlyArray<ConvergeEvent>) => end(rounds(roundStarted(), ...events)[0])
    assert.strictEqual(ended(), "open: not begun")
    assert.strictEqual(ended(...worked(1, "round-1/address")), "open: not ended")
    assert.strictEqual(ended(concluded(1, "b"), closed(1)), "good: answered")
    assert.strictEqual(
      ended(answeredAs("not-done", 1), concluded(1, "b"), closed(1)),
      "open: answered; 1 finding left open"
    )
    assert.strictEqual(ended(concluded(1, "b", "AddressFailed"), closed(1)), "bad: answered, and the tests fail")
    assert.strictEqual(ended(closed(1, "TestsRed")), "bad: the tests still fail")
    assert.strictEqual(
      ended(concluded(1, "b"), closed(1, "AnsweredElsewhere")),
      "open: answered by you or another process"
    )
    const skipped: ConvergeEvent = { _tag: "RetrospectiveSkipped", round: 1, because: "NoFindings" }
    assert.strictEqual(
      ended(skipped, concluded(1, "b", "RetroClean"), closed(1)),
      "neutral: skipped: nothing had been found"
    )
  })

  it("keeps the last answer to a finding", () => {
    const [round] = rounds(roundStarted(), answered(1, 1), answeredAs("refuted", 2))
    assert.deepStrictEqual(round?.answers.map(({ answer }) => answer), ["refuted"])
  })

  it("has only the work with its own number; a retried agent counts from its first attempt", () => {
    const [first, second] = rounds(
      roundStarted(),
      roundStarted({ round: 2 }),
      agentStarted({ taskId: "round-2/address" }),
      agentStarted({ taskId: "round-2/address", attempt: 2 })
    )
    assert.deepStrictEqual([first?.agents.length, second?.agents.map(({ from, to }) => [from, to])], [0, [[
      3000,
      null
    ]]])
  })
})

describe("a round over tasks", () => {
  const cycle = (...events: ReadonlyArray<PlanEvent | ReadonlyArray<PlanEvent>>) =>
    factsOf({ plan: [plans.cycleStarted(), ...events.flat()] }).rounds[0]

  it("has its claims, its reviews, and the tasks that it marked as done", () => {
    const round = cycle(
      plans.worked(1, "cycle-1/implement"),
      plans.taken(1, [0], ["ci.yml"]),
      plans.reviewed(2, 0, "NEEDS_FIXES"),
      plans.reviewed(3, 1, "ACCEPTABLE"),
      { _tag: "CycleAccepted", cycle: 1, because: "Acceptable", content: plans.content("b") },
      { _tag: "TasksMarked", cycle: 1, tasks: [0], plan: digest },
      plans.closed("Marked")
    )
    assert.strictEqual(round === undefined ? "" : roundTitle(round), "Round 1: task 0 One; task 1 Two")
    assert.deepStrictEqual(round?.claimed, [0])
    assert.deepStrictEqual(round?.done, [0])
    assert.deepStrictEqual(round?.reviews.map(({ agent }) => agent), [2, 3])
    assert.deepStrictEqual(round?.protectedFiles, [{ agent: 1, file: "ci.yml" }])
    assert.strictEqual(round?.agents.length, 3)
    assert.strictEqual(end(round), "good: accepted, its tasks are marked as done")
  })

  it("is open until it is closed", () => {
    const accepted: PlanEvent = { _tag: "CycleAccepted", cycle: 1, because: "OutOfScope", content: plans.content("b") }
    assert.strictEqual(end(cycle(accepted)), "open: accepted, not ended")
    assert.strictEqual(end(cycle(accepted, plans.reviewed(2, 0, "NEEDS_FIXES"))), "open: not ended")
    assert.strictEqual(end(cycle(plans.closed("Limit"))), "bad: no fix is left")
  })

  it("names the run that converged the plan's code", () => {
    const { converged, plan } = factsOf({ plan: [{ _tag: "PlanConverged", run: "r2", outcome: "DoneFixedPoint" }] })
    assert.deepStrictEqual([plan, converged], ["/work/plan.md", [{ run: "r2", outcome: "DoneFixedPoint" }]])
  })
})

describe("a run is finished", () => {
  it("at the fixed point of its reviews", () => {
    const at = { level: "low", batch: 1 } as const
    assert.isFalse(factsOf({ review: reviewed(at, "Clean", "Clean") }).isOver)
    const reached: Event = { _tag: "FixedPointReached", ...at, ceiling: "low", by: "Reviews" }
    assert.isTrue(factsOf({ review: [...reviewed(at, "Clean", "Clean"), [reached]] }).isOver)
  })

  it("once the driver of a plan ended successfully", () => {
    const ended = { _tag: "DriverEnded", driver: "d1", outcome: "DoneAccepted" } as const
    const planned = (...plan: ReadonlyArray<PlanEvent>) => factsOf({ plan }).isOver
    assert.isFalse(planned(plans.driverStarted()))
    assert.isTrue(planned(plans.driverStarted(), ended))
    assert.isTrue(planned(plans.driverStarted(), plans.cycleStarted(), plans.closed("Marked"), ended))
    for (const outcome of ["DoneAborted", "HandoffHuman: TestsFailed", "StuckCapReached: AddressBatch:rounds"]) {
      assert.isFalse(planned(plans.driverStarted(), { ...ended, outcome }), outcome)
    }
  })
})

it("a log that names another run does not belong to this one", () => {
  assert.isTrue(factsOf({ review: [[created()]] }).isOwn)
  assert.isFalse(factsOf({ review: [[created({ runId: "another" })]] }).isOwn)
  assert.isFalse(factsOf({ review: [[created({ repoId: "another-noremote" })]] }).isOwn)
  assert.isFalse(factsOf({ plan: [] }, { runId: "another" }).isOwn)
  assert.isTrue(factsOf({ plan: [] }, { runId: plans.planStarted.runId }).isOwn)
})
