// State: what each shared event of a driver changes, and that it changes nothing else.
import { assert, describe, it } from "vitest"
import {
  type DrivenEvent,
  type DrivenEventOf,
  type DrivenState,
  evolveDriven,
  seenAt,
  undriven
} from "../../../src/drive/State.ts"
import { drivenUntil } from "../../../src/drive/Budgets.ts"
import { agentStarted } from "./converge/events.ts"
import { digest, tree } from "../run/events.ts"

const evolve = (state: DrivenState, event: DrivenEvent, at: number): DrivenState =>
  seenAt(evolveDriven(state, event, at), at)
const folded = (...events: ReadonlyArray<DrivenEvent>): DrivenState =>
  events.reduce((state, event, i) => evolve(state, event, 1000 * (i + 1)), undriven)

const driver = (name: string, pid = 7): DrivenEvent => ({ _tag: "DriverStarted", driver: name, pid })
const test = (number: number): DrivenEventOf<"TestStarted"> => ({
  _tag: "TestStarted",
  test: number,
  id: `t${number}`,
  round: 0,
  command: "npm test"
})
const finished = (number: number): DrivenEventOf<"TestFinished"> => ({
  _tag: "TestFinished",
  test: number,
  exit: 0,
  output: digest,
  content: tree("tested")
})

describe("a driven run", () => {
  it("keeps its question to the user through a call that only lacked a consent", () => {
    const ended = (name: string, outcome: string, content: string): DrivenEvent => ({
      _tag: "DriverEnded",
      driver: name,
      outcome,
      why: "why",
      content: tree(content)
    })
    const asked = ended("d1", "HandoffHuman: TestsFailedTriage", "red")
    const unconsented = ended("d2", "HandoffHuman: ConsentNeeded", "fixed")
    assert.deepInclude(folded(driver("d1"), asked, driver("d2"), unconsented).asked, {
      driver: "d1",
      content: tree("red")
    })
    assert.deepInclude(folded(driver("d2"), unconsented).asked, { driver: "d2" })
    const again = ended("d3", "HandoffHuman: TestsFailedTriage", "fixed")
    assert.deepInclude(folded(driver("d1"), asked, driver("d3"), again).asked, { driver: "d3" })
  })

  it("has the branch that its first driver recorded", () => {
    const began = (name: string, branch: string | null): DrivenEvent => ({
      _tag: "DriverStarted",
      driver: name,
      pid: 7,
      branch
    })
    assert.isUndefined(folded(driver("a")).branch)
    assert.strictEqual(folded(driver("a"), began("b", "feat"), began("c", "main")).branch, "feat")
    assert.isNull(folded(began("a", null), began("b", "main")).branch)
  })

  it("counts the time of a driver from its start to its last line, and not the time between two drivers", () => {
    let state = evolve(undriven, driver("a"), 1000)
    assert.strictEqual(drivenUntil(state, 0), 0)
    state = evolve(state, agentStarted(), 4000)
    state = evolve(state, { _tag: "DriverEnded", driver: "a", outcome: "Idle" }, 5000)
    assert.strictEqual(drivenUntil(state, 0), 4000)
    state = evolve(state, driver("b", 8), 100_000)
    state = evolve(state, test(1), 100_500)
    assert.strictEqual(drivenUntil(state, 0), 4500)
    assert.deepStrictEqual(state.drivers, [
      {
        driver: "a",
        pid: 7,
        since: 1000,
        until: 5000,
        outcome: "Idle",
        end: { _tag: "Failed" },
        call: null,
        why: null
      },
      { driver: "b", pid: 8, since: 100_000, until: 100_500, outcome: null, end: null, call: null, why: null }
    ])
    // A clock that was set back takes no time away.
    assert.strictEqual(drivenUntil(evolve(state, finished(1), 50), 0), 4500)
  })

  it("can only be ended by its present driver", () => {
    const { drivers } = folded(driver("a"), driver("b"), { _tag: "DriverEnded", driver: "a", outcome: "Idle" })
    assert.deepStrictEqual(drivers.map(({ outcome }) => outcome), [null, null])
    const why = "npm test still fails"
    const ended: DrivenEvent = { _tag: "DriverEnded", driver: "b", outcome: "HandoffHuman: TestsFailedTriage", why }
    const { drivers: [, last] } = folded(driver("a"), driver("b"), ended)
    assert.deepInclude(last, { outcome: "HandoffHuman: TestsFailedTriage", why })
  })

  it("remembers a stop until the next driver starts", () => {
    assert.isTrue(folded(driver("a"), { _tag: "StopAsked" }).stopAsked)
    assert.isFalse(folded(driver("a"), { _tag: "StopAsked" }, driver("b")).stopAsked)
  })

  it("remembers warnings and the events of its agents", () => {
    const state = folded({ _tag: "BudgetWarned", budget: "tokens", used: 80, limit: 100 }, agentStarted())
    assert.deepStrictEqual(state.warned, [{ budget: "tokens", limit: 100 }])
    assert.lengthOf(state.agents.agents, 1)
  })
})

describe("a test of a driven run", () => {
  it("has its driver and the number of agents before it", () => {
    const state = folded(test(1), driver("a"), test(2), agentStarted(), test(3), driver("b"), test(4))
    assert.deepStrictEqual(state.tests.map(({ agents, driver }) => [driver, agents]), [
      ["", 0],
      ["a", 0],
      ["a", 1],
      ["b", 1]
    ])
    assert.isTrue(state.tests.every(({ standing }) => standing._tag === "Running"))
  })

  it("ends by its own number", () => {
    const stopped: DrivenEvent = { _tag: "TestStopped", test: 1, cause: "Lost" }
    const { tests } = folded(test(1), test(2), test(3), finished(2), stopped)
    assert.deepStrictEqual(tests.map(({ standing }) => standing), [
      { _tag: "Stopped" },
      { _tag: "Finished", finished: finished(2) },
      { _tag: "Running" }
    ])
  })
})
