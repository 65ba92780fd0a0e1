// State: what happened to a plan run.
import { assert, describe, it } from "vitest"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import { begun, claimed, evolvePlan, firstUnmarked, planRun } from "../../../../src/drive/plan/State.ts"
import { digest } from "../../run/events.ts"
import { after, analysed, closed, content, cycleStarted, driverStarted, planStarted, taken } from "./histories.ts"

const begins = after(driverStarted(), cycleStarted(1), cycleStarted(2), driverStarted("d2"))

describe("a cycle", () => {
  const review: PlanEvent = {
    _tag: "CodeReviewed",
    cycle: 1,
    round: 0,
    agent: 3,
    verdict: "ACCEPTABLE",
    issues: [],
    problems: [],
    review: { text: "fine" },
    content: content("b")
  }
  const analysis: PlanEvent = {
    _tag: "ReviewAnalysed",
    cycle: 1,
    agent: 4,
    needsFixes: true,
    instructions: { text: "mend" },
    dropped: [],
    problems: []
  }
  const restored: PlanEvent = { _tag: "WorktreeRestored", round: 1, snapshot: 2 }
  const accepted: PlanEvent = { _tag: "CycleAccepted", cycle: 1, because: "OutOfScope", content: content("b") }
  const marked: PlanEvent = { _tag: "TasksMarked", cycle: 1, tasks: [0], plan: digest }
  const unresolved: PlanEvent = { _tag: "UnresolvedWritten", cycle: 1, plan: digest }
  const refused: PlanEvent = { _tag: "FixesCommitted", round: 1, agent: 2, commit: null, output: { text: "no" } }
  const changes: ReadonlyArray<readonly [PlanEvent, object]> = [
    [taken(1, [0]), { answered: [taken(1, [0])] }],
    [review, { reviews: [review], reviewedAt: [9000] }],
    [analysis, { analysed: analysis }],
    [restored, { restored }],
    [accepted, { accepted }],
    [marked, { marked }],
    [unresolved, { unresolved }],
    [refused, { commits: [{ ...refused, driver: "d2", tests: 0 }] }],
    [{ ...refused, commit: "c" }, { commits: [{ ...refused, commit: "c", driver: "d2", tests: 0 }] }],
    [closed("Marked"), { closed: closed("Marked"), closedBy: "d2" }]
  ]
  it.each(changes)("holds only its own events: %j", (event, change) => {
    const { rounds } = evolvePlan(begins, event, 9000)
    const [first, second] = begins.rounds
    assert.deepStrictEqual<unknown>(rounds, [{ ...first, ...change }, second])
  })

  it("forgets the results of an earlier review with a new one", () => {
    const judged = [...analysed(4, false), accepted]
    const { rounds: [again] } = after(cycleStarted(), review, judged, review)
    assert.deepInclude(again, { analysed: null, accepted: null })
    const { rounds: [later] } = after(cycleStarted(), review, judged, { ...review, round: 1 })
    assert.deepInclude(later, { accepted: null })
    assert.strictEqual(later?.analysed?.agent, 4)
  })

  it("claims what its implementer named last", () => {
    const { rounds: [one] } = after(cycleStarted(), taken(1), taken(2, [0, 1]), taken(3))
    assert.deepStrictEqual(one === undefined ? [] : claimed(one), [0, 1])
  })
})

describe("a plan run", () => {
  it("knows in which cycle the work on its present tasks began", () => {
    const marked = { _tag: "TasksMarked", cycle: 1, tasks: [0], plan: digest } as const
    const [one, two] = [cycleStarted(1), { ...cycleStarted(2), content: { ...content("b"), head: "2" } }]
    assert.isNull(firstUnmarked(after()))
    assert.strictEqual(firstUnmarked(after(one, closed("Rejected"), two))?.started.cycle, 1)
    const second = firstUnmarked(after(one, marked, closed("Marked"), two, closed("Rejected", 2), cycleStarted(3)))
    assert.strictEqual(second?.started.cycle, 2)
    assert.isNull(firstUnmarked(after(one, marked)))
  })

  it("is fixed only by a fix of the user, until the next round begins", () => {
    const answer = (answer: "Fixed" | "Undone" | "Unchanged") =>
      after(cycleStarted(), closed("Limit"), { _tag: "PersonAnswered", answer, content: content("c") })
    assert.deepStrictEqual(
      (["Fixed", "Undone", "Unchanged"] as const).map((one) => answer(one).isFixed),
      [true, false, false]
    )
    assert.isFalse(evolvePlan(answer("Fixed"), cycleStarted(2), 9000).isFixed)
  })

  it("keeps its drivers when its code converges", () => {
    assert.deepStrictEqual(begins.drivers.map(({ driver, until }) => [driver, until]), [["d1", 2000], ["d2", 3000]])
    assert.deepStrictEqual(
      evolvePlan(begins, { _tag: "PlanConverged", run: "r", outcome: "DoneFixedPoint" }, 3000),
      begins
    )
  })
})

it("begins with only the plan", () => {
  assert.deepStrictEqual(planRun.fold.initial(planStarted), begun)
  assert.isNull(planRun.fold.initial(driverStarted()))
})

it("takes the time of an event from its line", () => {
  const at = "2026-01-02T03:04:05.000Z"
  const { drivers } = planRun.fold.evolve(begun, driverStarted(), { seq: 2, at })
  assert.deepStrictEqual(drivers.map(({ since }) => since), [Date.parse(at)])
})
