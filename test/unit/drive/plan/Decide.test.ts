// Decide: what comes between rounds, each way to end, and what a person does about an end.
import { assert, describe, it } from "vitest"
import { answerEvents, decide, type Decision, type End, type View } from "../../../../src/drive/plan/Decide.ts"
import type { CycleCause, PlanEvent } from "../../../../src/drive/plan/Event.ts"
import {
  after,
  closed,
  content,
  cycleStarted,
  driverStarted,
  type Facts,
  reviewed,
  settings,
  taken,
  tasks,
  tested,
  view,
  worked
} from "./histories.ts"

const decided = (events: Facts, now = view(), set = settings()): Decision => decide(after(...events), now, set)

const end = (end: End): Decision => ({ _tag: "End", end })
const none = view({ inPlay: [] })

describe("the driver of a plan", () => {
  it("ends at once where nothing is left to do, and converges the code where that is wanted", () => {
    assert.deepStrictEqual(decided([driverStarted()], none), end({ _tag: "Done" }))
    assert.deepStrictEqual(decided([driverStarted()], none, settings({ then: "converge" })), { _tag: "Converge" })
  })

  it("runs the tests before the first agent, and then begins a cycle", () => {
    const next: Decision = { _tag: "Test", round: 0, command: "npm test", running: null }
    assert.deepStrictEqual(decided([driverStarted()]), next)
    const start: Decision = { _tag: "StartRound", round: 1, tasks, claimed: [] }
    assert.deepStrictEqual(decided([driverStarted(), tested(1, 0, 0)]), start)
    const red = [driverStarted(), tested(1, 0, 1), tested(2, 0, 1)]
    assert.deepStrictEqual(decided(red), end({ _tag: "RedBaseline", test: 2, command: "npm test" }))
    assert.deepStrictEqual(decided(red, view(), settings({ allow: ["red-baseline"] })), start)
    const later = [driverStarted(), cycleStarted(), worked(1, "cycle-1/implement"), closed("Marked")]
    assert.deepInclude(decided(later), { _tag: "StartRound", round: 2 })
  })

  it("begins no round over budget, and warns once before", () => {
    const used = { rounds: 0, time: 0, tokens: 90 }
    const limit = settings({ maxTokens: 100, tests: [] })
    const warning = { _tag: "Warn", budget: "tokens", used: 90, limit: 100 } as const
    assert.deepStrictEqual(decided([driverStarted()], view({ used }), limit), warning)
    const warned: PlanEvent = { ...warning, _tag: "BudgetWarned" }
    assert.deepInclude(decided([driverStarted(), warned], view({ used }), limit), { _tag: "StartRound" })
    const over = view({ used: { ...used, tokens: 100 } })
    assert.deepStrictEqual(
      decided([driverStarted(), warned], over, limit),
      end({ _tag: "Budget", budget: "tokens", action: "AddressBatch" })
    )
  })

  it("ends where `stop` asked for it", () => {
    assert.deepStrictEqual(decided([driverStarted(), { _tag: "StopAsked" }]), end({ _tag: "StopAsked" }))
  })

  const failing: ReadonlyArray<readonly [CycleCause, End | null]> = [
    ["Marked", null],
    ["Limit", { _tag: "Limit", round: 1 }],
    ["TestsRed", { _tag: "TestsRed", round: 1, test: 1, command: "npm test" }],
    ["Rejected", null],
    ["Protected", { _tag: "Protected", round: 1, files: ["schema.sql"] }],
    ["Circle", { _tag: "Circle", content: content("c") }],
    ["Moved", { _tag: "Moved", round: 1 }],
    ["PlanChanged", { _tag: "PlanChanged", round: 1 }]
  ]
  it.each(failing)("that closed a cycle as %s ends its call alone", (because, ends) => {
    const events = [
      driverStarted(),
      cycleStarted(),
      worked(1, "cycle-1/implement"),
      taken(1, [0], ["schema.sql"]),
      tested(1, 1, 1),
      reviewed(2, 1, "NEEDS_FIXES", "c"),
      closed(because)
    ]
    const next: Decision = { _tag: "StartRound", round: 2, tasks, claimed: [] }
    assert.deepStrictEqual(decided(events), ends === null ? next : end(ends))
    assert.deepStrictEqual(decided([...events, driverStarted("d2")], view({ driver: "d2" })), next)
  })

  it("goes on after one rejected result that a person has allowed, and ends after another", () => {
    const again = [cycleStarted(2), worked(2, "cycle-2/implement"), closed("Rejected", 2)]
    const events = [driverStarted(), cycleStarted(), worked(1, "cycle-1/implement"), closed("Rejected")]
    assert.deepInclude(decided(events), { _tag: "StartRound", round: 2 })
    assert.deepStrictEqual(decided([...events, ...again]), end({ _tag: "Rejected", agent: 2 }))
    const next = decided([...events, driverStarted("d2"), ...again], view({ driver: "d2" }))
    assert.deepInclude(next, { _tag: "StartRound", round: 3 })
  })
})

describe("the end of an earlier call", () => {
  const b = content("b")
  const left = (because: CycleCause, outcome: string): Facts => [
    driverStarted(),
    cycleStarted(),
    worked(1, "cycle-1/implement"),
    taken(1, [0]),
    closed(because),
    { _tag: "DriverEnded", driver: "d1", outcome, why: "it fails", content: b },
    driverStarted("d2")
  ]
  const red = left("TestsRed", "HandoffHuman: TestsFailedTriage")
  const at = (code: string, more: Partial<View> = {}) => view({ driver: "d2", content: content(code), ...more })

  it("stays as it is while the code does, unless another try is asked for", () => {
    const now = decided(red, at("b"))
    assert.deepInclude(now._tag === "End" ? now.end : {}, { _tag: "Unchanged" })
    assert.deepStrictEqual(decided(red, at("b", { again: true })), { _tag: "TakeAnswer", answer: "Again" })
  })

  it("goes on where nothing of the code is to be fixed", () => {
    const changed = left("PlanChanged", "HandoffHuman: TaskBlocked")
    assert.deepStrictEqual(decided(changed, at("b")), { _tag: "TakeAnswer", answer: "Unchanged" })
    assert.deepStrictEqual(decided(changed, at("d")), { _tag: "TakeAnswer", answer: "Fixed" })
  })

  it("is answered by a fix whose tests are green; the next round takes what was claimed before", () => {
    assert.deepStrictEqual(decided(red, at("d")), { _tag: "Test", round: 0, command: "npm test", running: null })
    const green = [...red, tested(1, 0, 0)]
    assert.deepStrictEqual(decided(green, at("d")), { _tag: "TakeAnswer", answer: "Fixed" })
    const answered: Facts = [...green, { _tag: "PersonAnswered", answer: "Fixed", content: content("d") }]
    assert.deepInclude(decided(answered, at("d")), { _tag: "StartRound", round: 2, claimed: [0] })
    const again: Facts = [...red, { _tag: "PersonAnswered", answer: "Again", content: b }]
    assert.deepInclude(decided(again, at("b")), { _tag: "StartRound", round: 2, claimed: [] })
  })

  it("is no proof that the tasks are done which an agent has marked itself", () => {
    const marked = left("Protected", "HandoffHuman: TaskBlocked")
    const after = (answer: "Fixed" | "Again"): Facts => [
      ...marked,
      { _tag: "PersonAnswered", answer, content: content("d") }
    ]
    const none = at("d", { inPlay: [] })
    const fixed = decided(after("Fixed"), none)
    assert.deepInclude(fixed._tag === "End" ? fixed.end : {}, { _tag: "Protected", round: 1 })
    assert.deepStrictEqual(decided(after("Again"), none), end({ _tag: "Done" }))
  })

  it("closes a round in which no agent can go on", () => {
    const blocked = after(driverStarted(), cycleStarted(), worked(1, "cycle-1/implement", "block"))
    const answered = { _tag: "PersonAnswered", answer: "Fixed", content: b } as const
    const over = { _tag: "CycleClosed", cycle: 1, because: "Rejected" } as const
    assert.deepStrictEqual(answerEvents(blocked, "Fixed", b), [over, answered])
    const working = after(driverStarted(), cycleStarted(), worked(1, "cycle-1/implement"))
    assert.deepStrictEqual(answerEvents(working, "Fixed", b), [answered])
  })
})
