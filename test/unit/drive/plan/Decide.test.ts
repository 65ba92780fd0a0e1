// Decide: what the driver of a plan does next.
import { assert, describe, it } from "vitest"
import {
  acceptable,
  answerEvents,
  askedUpTo,
  decide,
  type Decision,
  type End,
  foresee,
  inRound,
  isMarked,
  isStale,
  runsSince,
  type View
} from "../../../../src/drive/plan/Decide.ts"
import type { CycleCause, PlanEvent } from "../../../../src/drive/plan/Event.ts"
import {
  after,
  analysed,
  closed,
  content,
  cycleStarted,
  driverStarted,
  type Facts,
  green as greenOn,
  reviewed,
  settings,
  taken,
  tasks,
  tested,
  view,
  worked
} from "./histories.ts"
import { budgeted } from "../../../../src/drive/Decide.ts"
import type { WorkTask } from "../../../../src/drive/Tasks.ts"
import { digest } from "../../run/events.ts"
import { inspector } from "../../../../src/drive/Drive.ts"
import { drivenUntil } from "../../../../src/drive/Budgets.ts"
import { evolvePlan } from "../../../../src/drive/plan/State.ts"

const decided = (events: Facts, now = view(), set = settings()): Decision => decide(after(...events), now, set)

const end = (end: End): Decision => ({ _tag: "End", end })
const none = view({ inPlay: [] })

describe("the driver of a plan", () => {
  it("ends at once if nothing is left to do, and converges the code on request", () => {
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

  it("ends after `stop`", () => {
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
  it.each(failing)("that closed a cycle as %s ends only its own call", (because, ends) => {
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

  it("continues after one rejected result that the user allowed, and ends after another", () => {
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

  it("stays while the code does, unless another try is asked for", () => {
    const now = decided(red, at("b"))
    assert.deepInclude(now._tag === "End" ? now.end : {}, { _tag: "Unchanged" })
    assert.deepStrictEqual(decided(red, at("b", { again: true })), { _tag: "TakeAnswer", answer: "Again" })
  })

  it("is passed if the code needs no fix", () => {
    const changed = left("PlanChanged", "HandoffHuman: TaskBlocked")
    assert.deepStrictEqual(decided(changed, at("b")), { _tag: "TakeAnswer", answer: "Unchanged" })
    assert.deepStrictEqual(decided(changed, at("d")), { _tag: "TakeAnswer", answer: "Fixed" })
  })

  it("is answered by a fix whose tests pass; the next round takes the earlier claims", () => {
    assert.deepStrictEqual(decided(red, at("d")), { _tag: "Test", round: 0, command: "npm test", running: null })
    const green = [...red, tested(1, 0, 0)]
    assert.deepStrictEqual(decided(green, at("d")), { _tag: "TakeAnswer", answer: "Fixed" })
    const answered: Facts = [...green, { _tag: "PersonAnswered", answer: "Fixed", content: content("d") }]
    assert.deepInclude(decided(answered, at("d")), { _tag: "StartRound", round: 2, claimed: [0] })
    const reordered = { inPlay: [{ index: 0, title: "Another task" }] }
    assert.deepInclude(decided(answered, at("d", reordered)), { _tag: "StartRound", round: 2, claimed: [] })
    const again: Facts = [...red, { _tag: "PersonAnswered", answer: "Again", content: b }]
    assert.deepInclude(decided(again, at("b")), { _tag: "StartRound", round: 2, claimed: [] })
  })

  it.each(["Limit", "Circle"] as const)("is passed after %s, and a fix of it is tested first", (because) => {
    const over = left(because, "StuckCapReached: AddressBatch:rounds")
    assert.deepStrictEqual(decided(over, at("b")), { _tag: "TakeAnswer", answer: "Unchanged" })
    assert.deepInclude(decided(over, at("d")), { _tag: "Test", round: 0 })
    assert.deepStrictEqual(decided([...over, tested(1, 0, 0)], at("d")), { _tag: "TakeAnswer", answer: "Fixed" })
  })

  it("does not prove tasks that an agent marked itself", () => {
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

  it("closes a round in which no agent can continue", () => {
    const blocked = after(driverStarted(), cycleStarted(), worked(1, "cycle-1/implement", "block"))
    const seen = { content: b, done: [] }
    const answered = { _tag: "PersonAnswered", answer: "Fixed", content: b } as const
    const over = { _tag: "CycleClosed", cycle: 1, because: "Rejected" } as const
    assert.deepStrictEqual(answerEvents(blocked, "Fixed", seen), [over, answered])
    const working = after(driverStarted(), cycleStarted(), worked(1, "cycle-1/implement"))
    assert.deepStrictEqual(answerEvents(working, "Fixed", seen), [answered])
    const accepted: PlanEvent = { _tag: "CycleAccepted", cycle: 1, because: "Acceptable", content: b }
    const reworked = after(...green, reviewed(3, 0, "ACCEPTABLE"), accepted, worked(4, "cycle-1/mend-1", "block"))
    assert.deepStrictEqual(answerEvents(reworked, "Fixed", seen), [over, answered])
    assert.deepStrictEqual(answerEvents(blocked, "Unchanged", seen), [{ ...answered, answer: "Unchanged" }])
    assert.deepStrictEqual(answerEvents(working, "Undone", seen), [over, { ...answered, answer: "Undone" }])
    // Its agent marked the task itself.
    assert.deepStrictEqual(answerEvents(blocked, "Fixed", { content: b, done: [0] }), [answered])
    assert.deepStrictEqual(answerEvents(reworked, "Fixed", { content: b, done: [0] }), [over, answered])
  })
})

/** Up to which agent a task of the first round was answered. */
const upTo = (events: Facts, task: WorkTask): number => {
  const state = after(...events)
  return askedUpTo(state, state.rounds[0] ?? assert.fail("no round"), task)
}

const begun: Facts = [driverStarted(), cycleStarted()]
const implemented: Facts = [...begun, worked(1, "cycle-1/implement"), taken(1, [0])]
const testedBy: Facts = [...implemented, worked(2, "cycle-1/test"), taken(2)]
const green: Facts = [...testedBy, tested(1, 1, 0)]
const refused: Facts = [...green, reviewed(3, 0, "NEEDS_FIXES"), analysed(4)]

describe("a cycle", () => {
  it("has its tasks implemented, tested, run and reviewed, in this order", () => {
    const implement: Decision = { _tag: "Ask", round: 1, task: "implement" }
    assert.deepStrictEqual(decided(begun), implement)
    const answered = [...begun, worked(1, "cycle-1/implement")]
    assert.deepStrictEqual(decided(answered), { _tag: "Answer", round: 1, agent: 1 })
    assert.deepStrictEqual(decided(implemented), { _tag: "Ask", round: 1, task: "test" })
    assert.deepStrictEqual(decided(testedBy), { _tag: "Test", round: 1, command: "npm test", running: null })
    assert.deepStrictEqual(decided(green), { _tag: "Review", round: 1, fix: 0, after: 0 })
    const acceptable = decided([...green, reviewed(3, 0, "ACCEPTABLE")])
    assert.deepStrictEqual(acceptable, { _tag: "Accept", round: 1, because: "Acceptable" })
  })

  it("asks an implementer at most three times for the tasks that it did", () => {
    const nothing = [...begun, worked(1, "cycle-1/implement"), taken(1)]
    assert.deepStrictEqual(decided(nothing), { _tag: "Ask", round: 1, task: "implement" })
    const twice = [...nothing, worked(2, "cycle-1/implement"), taken(2)]
    const thrice = [...twice, worked(3, "cycle-1/implement"), taken(3)]
    assert.deepInclude(decided(twice), { _tag: "Ask" })
    assert.strictEqual(upTo(twice, "implement"), 2)
    const end: End = { _tag: "NothingDone", round: 1, problems: ["no task is named"] }
    assert.deepStrictEqual(decided(thrice), { _tag: "End", end })
    const close: Decision = { _tag: "Close", round: 1, because: "Rejected" }
    assert.deepStrictEqual(decided(thrice, view(), settings({ allow: ["rejected-result"] })), close)
  })

  it("asks again after gaps, and ends if a result is rejected, until that is allowed", () => {
    const gaps = [...begun, worked(1, "cycle-1/implement", "remediate")]
    assert.deepInclude(decided(gaps), { _tag: "Ask" })
    assert.strictEqual(upTo(gaps, "implement"), 1)
    const block = [...begun, worked(1, "cycle-1/implement", "block")]
    assert.deepStrictEqual(decided(block), { _tag: "End", end: { _tag: "Rejected", agent: 1 } })
    const allow = settings({ allow: ["rejected-result"] })
    assert.deepStrictEqual(decided(block, view(), allow), { _tag: "Close", round: 1, because: "Rejected" })
    const changed: Decision = { _tag: "Close", round: 1, because: "PlanChanged" }
    for (const one of [settings(), allow]) assert.deepStrictEqual(decided(block, view({ done: [0] }), one), changed)
  })

  it("is closed if protected files changed", () => {
    const changed = [...begun, worked(1, "cycle-1/implement"), taken(1, [0], ["schema.sql"])]
    assert.deepStrictEqual(decided(changed), { _tag: "Close", round: 1, because: "Protected" })
  })

  it("asks for a limited number of fixes of failing tests per step, then the round is closed", () => {
    const red = [...testedBy, tested(1, 1, 1), tested(2, 1, 1)]
    const once = settings({ fixAttempts: 1 })
    const askFix: Decision = { _tag: "Ask", round: 1, task: "mend-1" }
    assert.deepStrictEqual(decided(red, view(), once), askFix)
    const answered = [...red, worked(3, "cycle-1/mend-1")]
    assert.deepInclude(decided(answered, view(), once), { _tag: "Answer", agent: 3 })
    const again = [...answered, taken(3), tested(3, 1, 1), tested(4, 1, 1)]
    assert.deepStrictEqual(decided(again, view(), once), { _tag: "Close", round: 1, because: "TestsRed" })
    const undo = settings({ fixAttempts: 1, undoOnRed: true })
    assert.deepStrictEqual(decided(again, view(), undo), { _tag: "Restore", round: 1 })
    const restored: PlanEvent = { _tag: "WorktreeRestored", round: 1, snapshot: 1 }
    assert.deepInclude(decided([...again, restored], view(), undo), { _tag: "Close" })
    const later = [...answered, taken(3), tested(3, 1, 0), reviewed(4, 0, "NEEDS_FIXES"), analysed(5)]
    const fixed = [...later, worked(6, "cycle-1/fix-1"), taken(6), tested(4, 1, 1), tested(5, 1, 1)]
    assert.deepInclude(decided(fixed, view(), once), { _tag: "Ask", task: "mend-2" })
  })
})

describe("a review that asks for fixes", () => {
  it("is analysed, and then fixed, tested and reviewed again", () => {
    const review = [...green, reviewed(3, 0, "NEEDS_FIXES")]
    assert.deepStrictEqual(decided(review), { _tag: "Analyse", round: 1 })
    const outOfScope = decided([...review, analysed(4, false)])
    assert.deepStrictEqual(outOfScope, { _tag: "Accept", round: 1, because: "OutOfScope" })
    assert.deepStrictEqual(decided(refused), { _tag: "Ask", round: 1, task: "fix-1" })
    const fixed = [...refused, worked(5, "cycle-1/fix-1"), taken(5)]
    assert.deepInclude(decided(fixed), { _tag: "Test" })
    const tried = [...fixed, tested(2, 1, 0)]
    assert.deepStrictEqual(decided(tried), { _tag: "Review", round: 1, fix: 1, after: 0 })
    const onC = [...fixed, greenOn(2, "c"), reviewed(6, 1, "ACCEPTABLE", "c")]
    const better = decided(onC, view({ content: content("c") }))
    assert.deepStrictEqual(better, { _tag: "Accept", round: 1, because: "Acceptable" })
    // Later reviews are not analysed: their issues are the instructions.
    const again = decided([...tried, reviewed(6, 1, "NEEDS_FIXES", "c")])
    assert.deepInclude(again, { _tag: "Ask", task: "fix-2" })
  })

  it("is a circle if a fix brings back refused code, or changes nothing", () => {
    const fixed = [...refused, worked(5, "cycle-1/fix-1"), taken(5), tested(2, 1, 0)]
    const close: Decision = { _tag: "Close", round: 1, because: "Circle" }
    assert.deepStrictEqual(decided([...fixed, reviewed(6, 1, "NEEDS_FIXES", "b")]), close)
    // Code that an earlier review accepted, and that changed since, may come back.
    const moved = [...green, reviewed(3, 0, "ACCEPTABLE"), reviewed(4, 0, "NEEDS_FIXES", "c"), analysed(5)]
    const back = [...moved, worked(6, "cycle-1/fix-1"), taken(6), tested(2, 1, 0), reviewed(7, 1, "NEEDS_FIXES", "b")]
    assert.deepInclude(decided(back), { _tag: "Ask", task: "fix-2" })
  })

  it("is written into the plan if the fixes are used up", () => {
    const one = settings({ rounds: 1 })
    const fixed = [
      ...refused,
      worked(5, "cycle-1/fix-1"),
      taken(5),
      tested(2, 1, 0),
      reviewed(6, 1, "NEEDS_FIXES", "c")
    ]
    assert.deepStrictEqual(decided(fixed, view(), one), { _tag: "WriteUnresolved", round: 1 })
    // A fix that was begun is followed, although a later call allows none.
    const begun = [...refused, worked(5, "cycle-1/fix-1")]
    assert.deepInclude(decided(begun, view(), settings({ rounds: 0 })), { _tag: "Answer" })
    const written: PlanEvent = { _tag: "UnresolvedWritten", cycle: 1, plan: digest }
    assert.deepStrictEqual(decided([...fixed, written], view(), one), { _tag: "Close", round: 1, because: "Limit" })
  })

  it("is not fixed over budget", () => {
    const over = view({ used: { rounds: 0, time: 0, tokens: 5 } })
    const end: Decision = { _tag: "End", end: { _tag: "Budget", budget: "tokens", action: "AddressBatch" } }
    assert.deepStrictEqual(decided(refused, over, settings({ maxTokens: 5 })), end)
    // A running fixer is followed to its end.
    const working = [...refused, worked(5, "cycle-1/fix-1")]
    assert.deepInclude(decided(working, over, settings({ maxTokens: 5 })), { _tag: "Answer" })
  })
})

describe("an acceptable review", () => {
  it("of other code than the present code is repeated, but not for ever", () => {
    const moved = view({ content: content("d") })
    const first = [...green, reviewed(3, 0, "ACCEPTABLE", "b")]
    assert.deepStrictEqual(decided(first, moved), { _tag: "Test", round: 1, command: "npm test", running: null })
    const once = [...first, greenOn(2, "d")]
    assert.deepStrictEqual(decided(once, moved), { _tag: "Review", round: 1, fix: 0, after: 3 })
    const again = [...once, reviewed(4, 0, "ACCEPTABLE", "d")]
    assert.deepStrictEqual(decided(again, moved), { _tag: "Accept", round: 1, because: "Acceptable" })
    const thrice = [...again, reviewed(5, 0, "ACCEPTABLE", "e")]
    assert.deepStrictEqual(decided(thrice, moved), { _tag: "Close", round: 1, because: "Moved" })
    assert.deepInclude(decided([...again, reviewed(5, 0, "NEEDS_FIXES", "d")], moved), { _tag: "Analyse" })
  })
})

describe("work that is out of scope", () => {
  it("is reviewed and analysed again if the code changed since its review", () => {
    const outOfScope = [...green, reviewed(3, 0, "NEEDS_FIXES"), analysed(4, false)]
    const moved = view({ content: content("d") })
    assert.deepInclude(decided(outOfScope, moved), { _tag: "Test" })
    const tried = [...outOfScope, greenOn(2, "d")]
    assert.deepStrictEqual(decided(tried, moved), { _tag: "Review", round: 1, fix: 0, after: 3 })
    const again = [...tried, reviewed(5, 0, "NEEDS_FIXES", "d")]
    assert.deepStrictEqual(decided(again, moved), { _tag: "Analyse", round: 1 })
    const accept: Decision = { _tag: "Accept", round: 1, because: "OutOfScope" }
    assert.deepStrictEqual(decided([...again, analysed(6, false)], moved), accept)
  })
})

describe("an accepted cycle", () => {
  const accepted: Facts = [
    ...green,
    reviewed(3, 0, "ACCEPTABLE"),
    { _tag: "CycleAccepted", cycle: 1, because: "Acceptable", content: content("b") }
  ]
  const marked: Facts = [...accepted, { _tag: "TasksMarked", cycle: 1, tasks: [0], plan: digest }]
  const commit = (id: string | null): PlanEvent => ({
    _tag: "FixesCommitted",
    round: 1,
    agent: 2,
    commit: id,
    output: { text: "" }
  })

  it("is not marked for code that changed meanwhile, unless the plan says so already", () => {
    const moved = view({ content: content("d") })
    assert.deepInclude(decided(accepted, moved), { _tag: "Test" })
    assert.deepInclude(decided([...accepted, greenOn(2, "d")], moved), { _tag: "Review", after: 3 })
    assert.deepInclude(decided(accepted, { ...moved, done: [0], isWritten: true }), { _tag: "Mark" })
    const again = [...accepted, greenOn(2, "d"), reviewed(4, 0, "ACCEPTABLE", "d")]
    assert.deepInclude(decided(again, moved), { _tag: "Accept" })
  })

  it("has its tasks marked, and is closed", () => {
    assert.deepStrictEqual(decided(accepted), { _tag: "Mark", round: 1, tasks: [0] })
    assert.deepStrictEqual(decided(marked), { _tag: "Close", round: 1, because: "Marked" })
  })

  it("is committed on request; a commit that git refused is tried again by the next call", () => {
    const set = settings({ commitFixes: "Fix" })
    assert.deepStrictEqual(decided(marked, view(), set), { _tag: "Commit", round: 1, agent: 2 })
    assert.deepInclude(decided([...marked, commit("c")], view(), set), { _tag: "Close", because: "Marked" })
    const end: End = { _tag: "TestsRed", round: 1, test: null, command: "git commit" }
    assert.deepStrictEqual(decided([...marked, commit(null)], view(), set), { _tag: "End", end })
    const next = decided([...marked, commit(null), driverStarted("d2")], view({ driver: "d2" }), set)
    assert.deepInclude(next, { _tag: "Commit" })
  })

  it("is tested and committed once more if a hook changed files; red tests end the call", () => {
    const set = settings({ commitFixes: "Fix" })
    const change: PlanEvent = {
      _tag: "FixesCommitted",
      round: 1,
      agent: 2,
      commit: "c",
      changed: true,
      output: { text: "" }
    }
    const changed: Facts = [...marked, change]
    assert.deepInclude(decided(changed, view(), set), { _tag: "Test", round: 1 })
    assert.deepInclude(decided([...changed, greenOn(3, "d")], view(), set), { _tag: "Commit" })
    assert.deepInclude(decided([...changed, greenOn(3, "d"), commit("d")], view(), set), { _tag: "Close" })
  })
})

describe("an open cycle", () => {
  it("is decided on its own, and so are the budgets", () => {
    const state = after(...begun)
    const [cycle] = state.rounds
    if (cycle === undefined) return assert.fail("no cycle")
    assert.deepStrictEqual(inRound(state, cycle, view(), settings()), decided(begun))
    assert.isNull(budgeted(state, view().used, settings(), "AddressBatch"))
  })
})

const done: Facts = [driverStarted(), cycleStarted(), worked(1, "cycle-1/implement"), taken(1, [0]), greenOn(1, "b")]
const accepted: Facts = [...done, reviewed(2, 0, "ACCEPTABLE")]

const last = (events: Facts) => {
  const state = after(...events)
  const cycle = state.rounds.at(-1) ?? assert.fail("no cycle")
  return { state, cycle, review: cycle.reviews.at(-1) ?? assert.fail("no review") }
}

const stale = (events: Facts, now: View = view(), tests = ["npm test"]): boolean => {
  const { review, state } = last(events)
  return isStale(state, review, now, settings({ tests }))
}

describe("work is acceptable", () => {
  it("by its review, or if none of it is in scope", () => {
    const cause = (events: Facts) => {
      const { cycle, review } = last(events)
      return acceptable(cycle, review)
    }
    assert.strictEqual(cause(accepted), "Acceptable")
    const refused: Facts = [...done, reviewed(2, 0, "NEEDS_FIXES")]
    assert.isNull(cause(refused))
    assert.isNull(cause([...refused, analysed(3)]))
    assert.strictEqual(cause([...refused, analysed(3, false)]), "OutOfScope")
    // The analysis was of an earlier review.
    assert.isNull(cause([...refused, analysed(3, false), reviewed(4, 0, "NEEDS_FIXES")]))
  })

  it("and marked once the plan says so in the words of this program", () => {
    const { cycle } = last(accepted)
    const seen = [view({ done: [1, 0], isWritten: true }), view({ done: [1, 0] }), view({ isWritten: true })]
    assert.deepStrictEqual(seen.map((one) => isMarked(cycle, one)), [true, false, false])
    const both = { ...cycle, answered: cycle.answered.map((one) => ({ ...one, tasks: [0, 1] })) }
    assert.isFalse(isMarked(both, view({ done: [0], isWritten: true })))
  })
})

describe("an acceptance is stale", () => {
  it("if the code changed since its review, or the tests passed on other code", () => {
    assert.isFalse(stale(accepted))
    assert.isTrue(stale(accepted, view({ content: content("c") })))
    const other: Facts = [...done, reviewed(2, 0, "ACCEPTABLE", "c")]
    assert.isTrue(stale(other, view({ content: content("c") })))
    assert.isFalse(stale(other, view({ content: content("c") }), ["npm run lint"]))
  })

  it("if an agent worked since", () => {
    assert.isTrue(stale([...accepted, worked(3, "cycle-1/mend-1")]))
  })
})

describe("the runs of the tests", () => {
  it("are those after the last agent that may write, and after a given one", () => {
    const tests = (events: Facts, agent = 0) => runsSince(after(...events), 1, agent).map(({ started }) => started.test)
    assert.deepStrictEqual(tests([...accepted, greenOn(2, "b")]), [1, 2])
    assert.deepStrictEqual(tests([...accepted, greenOn(2, "b")], 2), [2])
    assert.deepStrictEqual(tests([...accepted, worked(3, "cycle-1/mend-1"), greenOn(2, "b")]), [2])
  })
})

const inspecting = { _tag: "DriverStarted", ...inspector } as const

it("a new driver has used no time yet, and was not asked to stop", () => {
  const killed = after(driverStarted("d1"), { _tag: "StopAsked" })
  const taken = evolvePlan(killed, inspecting, 3_600_000)
  assert.strictEqual(drivenUntil(taken, 0), drivenUntil(killed, 0))
  assert.isFalse(taken.stopAsked)
  assert.strictEqual(taken.drivers.at(-1)?.driver, inspector.driver)
})

it("a warning can be ignored, an exhausted budget cannot", () => {
  const state = after(driverStarted())
  const limit = settings({ maxTokens: 100, maxTime: 100, tests: [] })
  const used = { rounds: 0, time: 90, tokens: 90 }
  assert.deepStrictEqual(foresee(state, view({ used }), limit, 0), { _tag: "StartRound", round: 1, tasks, claimed: [] })
  assert.deepStrictEqual(foresee(state, view({ used: { ...used, tokens: 100 } }), limit, 0), {
    _tag: "End",
    end: { _tag: "Budget", budget: "tokens", action: "AddressBatch" }
  })
})

it("the end of an earlier driver's call does not end the next call", () => {
  const failed = after(driverStarted("d1"), cycleStarted(), closed("Rejected"))
  const next = foresee(
    evolvePlan(failed, inspecting, 9000),
    view({ driver: inspector.driver }),
    settings({ tests: [] }),
    9000
  )
  assert.deepStrictEqual(next, { _tag: "StartRound", round: 2, tasks, claimed: [] })
})
