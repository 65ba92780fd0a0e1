// TurnText: every turn and every end is told in one line.
import { assert, it } from "vitest"
import type { Decision, End } from "../../../../src/drive/converge/Decide.ts"
import { lineOf } from "../../../../src/drive/converge/words.ts"
import { after, content, driverStarted, roundStarted, worked } from "./streams.ts"

const state = after(driverStarted(), roundStarted(), worked(1, "round-1/address"))
const end = (one: End): Decision => ({ _tag: "End", end: one })
const here = "round 1 (AddressBatch of low batch 1): "

it.each<[Decision, string]>([
  [{ _tag: "Step" }, "step: reviews"],
  [{ _tag: "Warn", budget: "time", used: 60_000, limit: 75_000 }, "warning: 1m 00s of 1m 15s time are used"],
  [{ _tag: "Warn", budget: "tokens", used: 9000, limit: 10_000 }, "warning: 9k of 10k tokens are used"],
  [{ _tag: "Warn", budget: "rounds", used: 8, limit: 10 }, "warning: 8 of 10 rounds are used"],
  [{ _tag: "StartRound", round: 2 }, "round 2: begins"],
  [{ _tag: "Resume", round: 1 }, `${here}goes on`],
  [{ _tag: "Ask", round: 1, task: { _tag: "Mend", mend: 1 } }, `${here}agent 2 works on mend-1`],
  [{ _tag: "Answer", round: 1, agent: 1 }, `${here}agent 1 has answered`],
  [{ _tag: "Test", round: 0, command: "a\nb", running: null }, "outside rounds: test a\\nb"],
  [{ _tag: "Restore", round: 1 }, `${here}the worktree is put back to where the round began`],
  [{ _tag: "Commit", round: 1, agent: 1 }, `${here}the work is to be committed`],
  [{ _tag: "Conclude", round: 1, mark: "AddressPassed" }, `${here}ends in AddressPassed`],
  [{ _tag: "Mark", round: 1, mark: "AddressPassed" }, `${here}mark AddressPassed`],
  [{ _tag: "Close", round: 1, because: "Marked" }, `${here}closed (Marked)`],
  [{ _tag: "Skip", round: 1, because: "Never" }, `${here}no retrospective (--retro never)`],
  [end({ _tag: "Circle", content: content("a") }), "end: the run goes in a circle"],
  [end({ _tag: "Patience", rounds: 6 }), "end: 6 rounds without progress"],
  [end({ _tag: "Budget", budget: "tokens", action: "RunReviews" }), "end: the budget of tokens is used up"],
  [
    end({ _tag: "RedBaseline", test: 1, command: "npm test" }),
    "end: npm test is red, and no agent is at work"
  ],
  [end({ _tag: "TestsRed", round: 1, test: 1, command: "npm test" }), "end: npm test stays red"],
  [end({ _tag: "Rejected", agent: 2 }), "end: the result of agent 2 cannot be used"],
  [end({ _tag: "Protected", round: 1, files: ["a", "b"] }), "end: protected files were changed: a, b"],
  [end({ _tag: "StopAsked" }), "end: stop was asked for"]
])("%o", (decision, line) => {
  assert.strictEqual(lineOf(state, decision), line)
})

it("an agent that was begun goes on", () => {
  const open = after(driverStarted(), roundStarted(), worked(1, "round-1/address").slice(0, 1))
  assert.strictEqual(
    lineOf(open, { _tag: "Ask", round: 1, task: { _tag: "Address" } }),
    `${here}agent 1 goes on with address`
  )
})
