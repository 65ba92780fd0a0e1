// TurnText: what a person reads of each turn, on one line.
import { assert, it } from "vitest"
import type { PlanEvent } from "../../../../src/drive/plan/Event.ts"
import type { Decision, End } from "../../../../src/drive/plan/Decide.ts"
import { lineOf, resultsOf } from "../../../../src/drive/plan/words.ts"
import { agentStarted } from "../converge/events.ts"
import { digest } from "../../run/events.ts"
import { after, analysed, content, cycleStarted, driverStarted, reviewed, tasks, tested, worked } from "./histories.ts"

const state = after(driverStarted(), cycleStarted(), worked(1, "cycle-1/implement"))
const end = (end: End): Decision => ({ _tag: "End", end })

it.each<[Decision, string]>([
  [{ _tag: "StartRound", round: 2, tasks }, "round 2: begins with 0 One, 1 Two"],
  [{ _tag: "Ask", round: 1, task: { _tag: "Implement" }, after: 0 }, "round 1: agent 1 works on implement"],
  [{ _tag: "Ask", round: 1, task: { _tag: "Fix", round: 2 }, after: 0 }, "round 1: agent 2 works on fix-2"],
  [{ _tag: "Answer", round: 1, agent: 2 }, "round 1: agent 2 has answered"],
  [{ _tag: "Test", round: 0, command: "a\nb", running: null }, "outside rounds: test a\\nb"],
  [{ _tag: "Restore", round: 1 }, "round 1: the worktree is put back to where the round began"],
  [{ _tag: "Review", round: 1, fix: 0, after: 0 }, "round 1: agent 2 works on review-0"],
  [{ _tag: "Analyse", round: 1 }, "round 1: agent 2 works on analysis"],
  [{ _tag: "Accept", round: 1, because: "Acceptable" }, "round 1: is accepted"],
  [{ _tag: "Accept", round: 1, because: "OutOfScope" }, "round 1: is accepted: what was found belongs to other tasks"],
  [{ _tag: "Mark", round: 1, tasks: [0, 2] }, "round 1: tasks 0, 2 are to be marked as done"],
  [{ _tag: "Mark", round: 1, tasks: [1] }, "round 1: task 1 is to be marked as done"],
  [{ _tag: "Commit", round: 1, agent: 2 }, "round 1: the work is to be committed"],
  [{ _tag: "WriteUnresolved", round: 1 }, "round 1: the last review is written into the plan"],
  [{ _tag: "Close", round: 1, because: "Marked" }, "round 1: ends: its tasks are done"],
  [{ _tag: "Warn", budget: "tokens", used: 8, limit: 10 }, "warning: 8 of 10 tokens are used"],
  [{ _tag: "Converge" }, "the plan's tasks are done, and their code goes up the ladder"],
  [end({ _tag: "Done" }), "end: every task that is wanted is done"],
  [end({ _tag: "Circle", content: content("a") }), "end: the run goes in a circle"],
  [end({ _tag: "Limit", round: 3 }), "end: the fixes of round 3 are used up"],
  [end({ _tag: "Budget", budget: "time", action: "AddressBatch" }), "end: the budget of time is used up"],
  [end({ _tag: "RedBaseline", test: 1, command: "npm test" }), "end: npm test is red, and no agent is at work"],
  [end({ _tag: "TestsRed", round: 1, test: 1, command: "npm test" }), "end: npm test stays red"],
  [end({ _tag: "Rejected", agent: 2 }), "end: the result of agent 2 cannot be used"],
  [end({ _tag: "NothingDone", round: 1, problems: [] }), "end: the implementer names no task as done"],
  [end({ _tag: "Protected", round: 1, files: ["a"] }), "end: protected files were changed: a"],
  [end({ _tag: "Moved", round: 1 }), "end: the code was changed while it was reviewed"],
  [end({ _tag: "PlanChanged", round: 1 }), "end: the plan says something else of the tasks by now"],
  [end({ _tag: "StopAsked" }), "end: stop was asked for"]
])("%j", (decision, line) => assert.strictEqual(lineOf(state, decision), line))

const interrupted: PlanEvent = {
  _tag: "AgentFailed",
  agent: 1,
  attempt: 1,
  failure: "Interrupted",
  message: { text: "it was interrupted" },
  exit: null,
  threadId: null,
  usage: null,
  transcript: digest,
  remedy: "call again"
}

it("tells who is asked next, where whoever was asked before is no longer at work", () => {
  const work = (asked: number): Decision => ({ _tag: "Ask", round: 1, task: { _tag: "Implement" }, after: asked })
  const running = agentStarted({ agent: 1, taskId: "cycle-1/implement" })
  assert.strictEqual(lineOf(after(cycleStarted(), running), work(0)), "round 1: agent 1 works on implement")
  assert.strictEqual(
    lineOf(after(cycleStarted(), running, interrupted), work(0)),
    "round 1: agent 2 works on implement"
  )
  const gaps = after(cycleStarted(), worked(1, "cycle-1/implement", "remediate"))
  assert.strictEqual(lineOf(gaps, work(1)), "round 1: agent 2 works on implement")
  const seen = after(cycleStarted(), reviewed(1, 0, "ACCEPTABLE"))
  const again: Decision = { _tag: "Review", round: 1, fix: 0, after: 1 }
  assert.strictEqual(lineOf(seen, again), "round 1: agent 2 works on review-0")
  const moved = after(cycleStarted(), reviewed(1, 0, "NEEDS_FIXES"), analysed(2), reviewed(3, 0, "NEEDS_FIXES"))
  assert.strictEqual(lineOf(moved, { _tag: "Analyse", round: 1 }), "round 1: agent 4 works on analysis")
})

it("tells what a turn brought: how tests ended, what a review says, what is dropped from it", () => {
  const before = after(cycleStarted(), tested(1, 1, 0))
  const review = reviewed(1, 0, "NEEDS_FIXES")
  const weighed = analysed(2).map((event) =>
    event._tag === "ReviewAnalysed"
      ? { ...event, dropped: [{ issue: "`b` is missing.", task: 1, quote: "export `b`" }] }
      : event
  )
  assert.deepStrictEqual(resultsOf(after(), after(tested(1, 0, 2))), [
    "before the first agent: npm test is red: exit status 2"
  ])
  assert.deepStrictEqual(resultsOf(before, after(cycleStarted(), tested(1, 1, 0), review, tested(2, 1, 1))), [
    "round 1: npm test is red: exit status 1",
    "round 1: review 0: NEEDS_FIXES, 1 issue"
  ])
  const seen = after(cycleStarted(), review)
  assert.deepStrictEqual(resultsOf(seen, after(cycleStarted(), review, weighed)), [
    'round 1: analysis: fixes are needed; this belongs to task 1, which says "export `b`": `b` is missing.'
  ])
  assert.deepStrictEqual(resultsOf(seen, after(cycleStarted(), review, analysed(2, false))), [
    "round 1: analysis: no fix is needed"
  ])
  assert.deepStrictEqual(resultsOf(seen, seen), [])
})
