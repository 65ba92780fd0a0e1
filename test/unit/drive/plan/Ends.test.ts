// Ends: each reason to end has its header, and what a person is asked to do.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { End } from "../../../../src/drive/plan/Decide.ts"
import { planHeader } from "../../../../src/drive/plan/Outcome.ts"
import { endOutcome } from "../../../../src/drive/plan/Round.ts"
import { content, cycleStarted, tested, worked } from "./histories.ts"
import { inWorld } from "./plans.ts"
import { workingRun } from "./workings.ts"

const ended = (end: End) =>
  inWorld(
    {},
    Effect.gen(function*() {
      const events = [cycleStarted(), ...worked(1, "cycle-1/implement", "block"), ...tested(1, 1, 1)]
      const outcome = endOutcome(yield* workingRun(events), end)
      return { header: planHeader(outcome), prompt: outcome._tag === "HandoffHuman" ? outcome.prompt : "" }
    })
  )

describe("a call that ends", () => {
  it.each<[End, string, string]>([
    [{ _tag: "Done" }, "DoneAccepted", ""],
    [{ _tag: "Circle", content: content("a") }, `StuckRepeated: AddressBatch:${"a".repeat(40)}`, ""],
    [{ _tag: "Circle", content: { _tag: "Unknown", why: "?" } }, "StuckRepeated: AddressBatch:unknown", ""],
    [{ _tag: "Limit", round: 1 }, "StuckCapReached: AddressBatch:rounds", ""],
    [{ _tag: "Budget", budget: "tokens", action: "AddressBatch" }, "StuckCapReached: AddressBatch:max-tokens", ""],
    [{ _tag: "RedBaseline", test: 1, command: "npm test" }, "HandoffHuman: ConsentNeeded", "--allow red-baseline"],
    [{ _tag: "TestsRed", round: 1, test: 1, command: "npm test" }, "HandoffHuman: TestsFailedTriage", "npm test"],
    [
      { _tag: "TestsRed", round: 1, test: null, command: "git commit" },
      "HandoffHuman: TestsFailedTriage",
      "git refused"
    ],
    [{ _tag: "Rejected", agent: 1 }, "HandoffHuman: TaskBlocked", "work is left"],
    [
      { _tag: "NothingDone", round: 1, problems: ["no task is named"] },
      "HandoffHuman: TaskBlocked",
      "no task is named"
    ],
    [{ _tag: "Protected", round: 1, files: ["schema.sql"] }, "HandoffHuman: TaskBlocked", "schema.sql"],
    [{ _tag: "Moved", round: 1 }, "HandoffHuman: TaskBlocked", "the code was changed while it was reviewed"],
    [{ _tag: "PlanChanged", round: 1 }, "HandoffHuman: TaskBlocked", "/repo/plan.md was changed while"],
    [{ _tag: "StopAsked" }, "DoneAborted", ""]
  ])("%j", async (end, header, words) => {
    const told = await ended(end)
    assert.strictEqual(told.header, header)
    assert.include(told.prompt, words)
  })
})
