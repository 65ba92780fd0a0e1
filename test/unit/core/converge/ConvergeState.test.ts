// ConvergeState: what each fact of a driver changes, and that it changes nothing else.
import { assert, describe, it } from "vitest"
import {
  begun,
  contentOf,
  type ConvergeState,
  drivenFor,
  evolveConverge
} from "../../../../src/core/converge/ConvergeState.ts"
import type { ConvergeEvent, ConvergeEventOf } from "../../../../src/core/converge/Event.ts"
import { digest, tree } from "../run/events.ts"
import { agentStarted, driving } from "./events.ts"

const folded = (...events: ReadonlyArray<ConvergeEvent>): ConvergeState =>
  events.reduce((state, event, i) => evolveConverge(state, event, 1000 * (i + 1)), begun("r"))

const driver = (name: string, pid = 7): ConvergeEvent => ({ _tag: "DriverStarted", driver: name, pid })
const round = (number: number): ConvergeEventOf<"RoundStarted"> => ({
  _tag: "RoundStarted",
  round: number,
  kind: "AddressBatch",
  level: "low",
  batch: number,
  findings: [],
  content: tree(`before ${number}`),
  history: "h"
})
const test = (number: number): ConvergeEventOf<"TestStarted"> => ({
  _tag: "TestStarted",
  test: number,
  id: `t${number}`,
  round: 0,
  command: "npm test"
})
const finished = (number: number): ConvergeEventOf<"TestFinished"> => ({
  _tag: "TestFinished",
  test: number,
  exit: 0,
  output: digest,
  content: tree("tested")
})

describe("a driven run", () => {
  it("has nothing in it when it begins", () => {
    assert.deepStrictEqual(folded(driving), begun("r"))
  })

  it("counts a driver from its beginning to its last line, and leaves out the time between two", () => {
    let state = evolveConverge(begun("r"), driver("a"), 1000)
    assert.strictEqual(drivenFor(state), 0)
    state = evolveConverge(state, round(1), 4000)
    state = evolveConverge(state, { _tag: "DriverEnded", driver: "a", outcome: "Idle" }, 5000)
    assert.strictEqual(drivenFor(state), 4000)
    state = evolveConverge(state, driver("b", 8), 100_000)
    state = evolveConverge(state, test(1), 100_500)
    assert.strictEqual(drivenFor(state), 4500)
    assert.deepStrictEqual(state.drivers, [
      { driver: "a", pid: 7, since: 1000, until: 5000, outcome: "Idle" },
      { driver: "b", pid: 8, since: 100_000, until: 100_500, outcome: null }
    ])
    // A clock that was set back takes no time away.
    assert.strictEqual(drivenFor(evolveConverge(state, finished(1), 50)), 4500)
  })

  it("is ended by its present driver alone", () => {
    const { drivers } = folded(driver("a"), driver("b"), { _tag: "DriverEnded", driver: "a", outcome: "Idle" })
    assert.deepStrictEqual(drivers.map(({ outcome }) => outcome), [null, null])
  })

  it("is asked to stop until the next driver begins", () => {
    assert.isTrue(folded(driver("a"), { _tag: "StopAsked" }).stopAsked)
    assert.isFalse(folded(driver("a"), { _tag: "StopAsked" }, driver("b")).stopAsked)
  })

  it("remembers what was warned of, and what its agents do", () => {
    const state = folded({ _tag: "BudgetWarned", budget: "tokens", used: 80, limit: 100 }, agentStarted())
    assert.deepStrictEqual(state.warned, [{ budget: "tokens", limit: 100 }])
    assert.lengthOf(state.agents.agents, 1)
  })
})

describe("a test of a driven run", () => {
  it("knows its driver and how many agents there were before it", () => {
    const state = folded(test(1), driver("a"), test(2), agentStarted(), test(3), driver("b"), test(4))
    assert.deepStrictEqual(state.tests.map(({ agents, driver }) => [driver, agents]), [
      ["", 0],
      ["a", 0],
      ["a", 1],
      ["b", 1]
    ])
    assert.isTrue(state.tests.every(({ standing }) => standing._tag === "Running"))
  })

  it("is the one that ends", () => {
    const stopped: ConvergeEvent = { _tag: "TestStopped", test: 1, cause: "Lost" }
    const { tests } = folded(test(1), test(2), test(3), finished(2), stopped)
    assert.deepStrictEqual(tests.map(({ standing }) => standing), [
      { _tag: "Stopped" },
      { _tag: "Finished", finished: finished(2) },
      { _tag: "Running" }
    ])
  })
})

describe("a round of a driven run", () => {
  const nothing = {
    answered: [],
    skipped: null,
    restored: null,
    commits: [],
    concluded: null,
    closed: null,
    closedBy: null
  }
  const answered: ConvergeEventOf<"RoundAnswered"> = {
    _tag: "RoundAnswered",
    round: 2,
    agent: 1,
    answers: [],
    protectedFiles: []
  }
  const commit: ConvergeEventOf<"FixesCommitted"> = {
    _tag: "FixesCommitted",
    round: 2,
    agent: 1,
    commit: null,
    output: { text: "refused" }
  }
  const concluded: ConvergeEventOf<"RoundConcluded"> = {
    _tag: "RoundConcluded",
    round: 2,
    mark: "AddressPassed",
    reason: { text: "" },
    content: tree("after 2")
  }
  const skipped: ConvergeEvent = { _tag: "RetrospectiveSkipped", round: 2, because: "NoFindings" }
  const restored: ConvergeEvent = { _tag: "WorktreeRestored", round: 2, snapshot: 3 }
  const closed: ConvergeEvent = { _tag: "RoundClosed", round: 2, because: "Marked" }

  it("begins with nothing, and holds what happened in it alone", () => {
    const begins = folded(driver("a"), driver("b"), round(1), round(2), round(3))
    assert.deepStrictEqual(begins.rounds, [1, 2, 3].map((one) => ({ started: round(one), ...nothing })))
    const changes: ReadonlyArray<readonly [ConvergeEvent, object]> = [
      [answered, { answered: [answered] }],
      [skipped, { skipped }],
      [restored, { restored }],
      [commit, { commits: [commit] }],
      [concluded, { concluded }],
      [closed, { closed, closedBy: "b" }]
    ]
    for (const [event, change] of changes) {
      const { rounds } = evolveConverge(begins, event, 9000)
      assert.deepStrictEqual(rounds[1], { started: round(2), ...nothing, ...change })
      assert.deepStrictEqual([rounds[0], rounds[2]], [begins.rounds[0], begins.rounds[2]])
    }
  })

  it("is closed by nobody where no driver is known", () => {
    const [, second] = folded(round(1), round(2), closed).rounds
    assert.deepStrictEqual([second?.closed, second?.closedBy], [closed, null])
  })

  it("keeps every answer and every commit, in order", () => {
    const later = { ...answered, agent: 2 }
    const good = { ...commit, commit: "c" }
    const [, second] = folded(round(1), round(2), answered, commit, later, good).rounds
    assert.deepStrictEqual(second?.answered, [answered, later])
    assert.deepStrictEqual(second?.commits, [commit, good])
  })

  it("has the content of its end, before that of its beginning", () => {
    const contents = (...events: ReadonlyArray<ConvergeEvent>) =>
      folded(round(1), round(2), ...events).rounds.map(contentOf)
    assert.deepStrictEqual(contents(), [tree("before 1"), tree("before 2")])
    assert.deepStrictEqual(contents(concluded), [tree("before 1"), tree("after 2")])
  })
})
