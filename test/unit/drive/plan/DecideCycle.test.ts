// DecideCycle: each turn of a cycle, from the implementer to the mark.
import { assert, describe, it } from "vitest"
import { budgeted } from "../../../../src/drive/Decide.ts"
import { askedUpTo, decide, type Decision, type End, inRound } from "../../../../src/drive/plan/Decide.ts"
import type { WorkTask } from "../../../../src/drive/Tasks.ts"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import {
  after,
  analysed,
  content,
  cycleStarted,
  driverStarted,
  type Facts,
  green as greenOn,
  reviewed,
  settings,
  taken,
  tested,
  view,
  worked
} from "./histories.ts"
import { digest } from "../../run/events.ts"

const decided = (events: Facts, now = view(), set = settings()): Decision => decide(after(...events), now, set)

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

  it("asks an implementer again who names no task as done, three times in all", () => {
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

  it("asks again after gaps, and ends where a result is rejected, until that is allowed", () => {
    const gaps = [...begun, worked(1, "cycle-1/implement", "remediate")]
    assert.deepInclude(decided(gaps), { _tag: "Ask" })
    assert.strictEqual(upTo(gaps, "implement"), 1)
    const block = [...begun, worked(1, "cycle-1/implement", "block")]
    assert.deepStrictEqual(decided(block), { _tag: "End", end: { _tag: "Rejected", agent: 1 } })
    const allow = settings({ allow: ["rejected-result"] })
    assert.deepStrictEqual(decided(block, view(), allow), { _tag: "Close", round: 1, because: "Rejected" })
  })

  it("is over where protected files were changed", () => {
    const changed = [...begun, worked(1, "cycle-1/implement"), taken(1, [0], ["schema.sql"])]
    assert.deepStrictEqual(decided(changed), { _tag: "Close", round: 1, because: "Protected" })
  })

  it("has red tests mended so often for each step, then it is over", () => {
    const red = [...testedBy, tested(1, 1, 1), tested(2, 1, 1)]
    const once = settings({ fixAttempts: 1 })
    const mend: Decision = { _tag: "Ask", round: 1, task: "mend-1" }
    assert.deepStrictEqual(decided(red, view(), once), mend)
    const mended = [...red, worked(3, "cycle-1/mend-1")]
    assert.deepInclude(decided(mended, view(), once), { _tag: "Answer", agent: 3 })
    const again = [...mended, taken(3), tested(3, 1, 1), tested(4, 1, 1)]
    assert.deepStrictEqual(decided(again, view(), once), { _tag: "Close", round: 1, because: "TestsRed" })
    const undo = settings({ fixAttempts: 1, undoOnRed: true })
    assert.deepStrictEqual(decided(again, view(), undo), { _tag: "Restore", round: 1 })
    const restored: PlanEvent = { _tag: "WorktreeRestored", round: 1, snapshot: 1 }
    assert.deepInclude(decided([...again, restored], view(), undo), { _tag: "Close" })
    const later = [...mended, taken(3), tested(3, 1, 0), reviewed(4, 0, "NEEDS_FIXES"), analysed(5)]
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

  it("is a circle where a fix brings back what a review had refused, or changes nothing", () => {
    const fixed = [...refused, worked(5, "cycle-1/fix-1"), taken(5), tested(2, 1, 0)]
    const close: Decision = { _tag: "Close", round: 1, because: "Circle" }
    assert.deepStrictEqual(decided([...fixed, reviewed(6, 1, "NEEDS_FIXES", "b")]), close)
    // What an earlier review accepted, of code that was changed since, comes back as no circle.
    const moved = [...green, reviewed(3, 0, "ACCEPTABLE"), reviewed(4, 0, "NEEDS_FIXES", "c"), analysed(5)]
    const back = [...moved, worked(6, "cycle-1/fix-1"), taken(6), tested(2, 1, 0), reviewed(7, 1, "NEEDS_FIXES", "b")]
    assert.deepInclude(decided(back), { _tag: "Ask", task: "fix-2" })
  })

  it("is written into the plan where the fixes are used up", () => {
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
    // A fixer that works is followed to its end.
    const working = [...refused, worked(5, "cycle-1/fix-1")]
    assert.deepInclude(decided(working, over, settings({ maxTokens: 5 })), { _tag: "Answer" })
  })
})

describe("an acceptable review", () => {
  it("of other code than there is now is made again, and not for ever", () => {
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

describe("work that is out of scope to fix", () => {
  it("is reviewed and analysed again where the code was changed since its review", () => {
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

describe("a cycle that was accepted", () => {
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

  it("is not marked for code that was changed meanwhile, unless the plan says so already", () => {
    const moved = view({ content: content("d") })
    assert.deepInclude(decided(accepted, moved), { _tag: "Test" })
    assert.deepInclude(decided([...accepted, greenOn(2, "d")], moved), { _tag: "Review", after: 3 })
    assert.deepInclude(decided(accepted, { ...moved, done: [0] }), { _tag: "Mark" })
    const again = [...accepted, greenOn(2, "d"), reviewed(4, 0, "ACCEPTABLE", "d")]
    assert.deepInclude(decided(again, moved), { _tag: "Accept" })
  })

  it("has its tasks marked, and is over", () => {
    assert.deepStrictEqual(decided(accepted), { _tag: "Mark", round: 1, tasks: [0] })
    assert.deepStrictEqual(decided(marked), { _tag: "Close", round: 1, because: "Marked" })
  })

  it("is committed where that is wanted; what git refused is tried again by the next call", () => {
    const set = settings({ commitFixes: "Fix" })
    assert.deepStrictEqual(decided(marked, view(), set), { _tag: "Commit", round: 1, agent: 2 })
    assert.deepInclude(decided([...marked, commit("c")], view(), set), { _tag: "Close", because: "Marked" })
    const end: End = { _tag: "TestsRed", round: 1, test: null, command: "git commit" }
    assert.deepStrictEqual(decided([...marked, commit(null)], view(), set), { _tag: "End", end })
    const next = decided([...marked, commit(null), driverStarted("d2")], view({ driver: "d2" }), set)
    assert.deepInclude(next, { _tag: "Commit" })
  })
})

describe("an open cycle", () => {
  it("is decided on by itself, and so are the budgets", () => {
    const state = after(...begun)
    const [cycle] = state.rounds
    if (cycle === undefined) return assert.fail("no cycle")
    assert.deepStrictEqual(inRound(state, cycle, view(), settings()), decided(begun))
    assert.isNull(budgeted(state, view().used, settings(), "AddressBatch"))
  })
})
