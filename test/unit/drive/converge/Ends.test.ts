// Ends: each reason to end has its header, and what a person is asked to do.
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { endOutcome } from "../../../../src/drive/converge/Round.ts"
import { record } from "../../../../src/drive/Drive.ts"
import type { End } from "../../../../src/drive/converge/Decide.ts"
import { header, type Outcome } from "../../../../src/run/Outcome.ts"
import { content, roundStarted, tested, worked } from "./streams.ts"
import { onMachine } from "../../run/opened.ts"
import { drivingRun } from "./drivings.ts"

const ended = (end: End) =>
  onMachine(Effect.gen(function*() {
    const events = [roundStarted(), ...worked(1, "round-1/address", "block"), ...tested(1, 1, 1)]
    return endOutcome(yield* record(yield* drivingRun(), events), end)
  }))

const asked = (action: string, why = "npm test still fails (exit 1)") => ({
  driver: "d0",
  outcome: `HandoffHuman: ${action}`,
  why,
  content: content("a")
})

const promptOf = (outcome: Outcome): string => outcome._tag === "HandoffHuman" ? outcome.prompt : ""

describe("a call that ends", () => {
  it.each<[End, string]>([
    [{ _tag: "Circle", content: content("a") }, `StuckRepeated: AddressBatch:${"a".repeat(40)}`],
    [{ _tag: "Circle", content: { _tag: "Unknown", why: "?" } }, "StuckRepeated: AddressBatch:unknown"],
    [{ _tag: "Patience", rounds: 6 }, "StuckCapReached: AddressBatch:patience"],
    [{ _tag: "Budget", budget: "rounds", action: "Retrospective" }, "StuckCapReached: Retrospective:max-rounds"],
    [{ _tag: "Budget", budget: "time", action: "RunReviews" }, "StuckCapReached: RunReviews:max-time"],
    [{ _tag: "Budget", budget: "tokens", action: "RunReviews" }, "StuckCapReached: RunReviews:max-tokens"],
    [{ _tag: "RedBaseline", test: 1, command: "npm test" }, "HandoffHuman: ConsentNeeded"],
    [{ _tag: "TestsRed", round: 1, test: 1, command: "npm test" }, "HandoffHuman: TestsFailedTriage"],
    [{ _tag: "TestsRed", round: 1, test: null, command: "git commit" }, "HandoffHuman: TestsFailedTriage"],
    [{ _tag: "Rejected", agent: 1 }, "HandoffHuman: TaskBlocked"],
    [{ _tag: "Protected", round: 1, files: ["schema.sql"] }, "HandoffHuman: TaskBlocked"],
    [{ _tag: "StopAsked" }, "DoneAborted"],
    [{ _tag: "Unchanged", asked: asked("TestsFailedTriage") }, "HandoffHuman: TestsFailedTriage"],
    [{ _tag: "Unchanged", asked: asked("TaskBlocked") }, "HandoffHuman: TaskBlocked"]
  ])("%o", async (end, text) => assert.strictEqual(header(await ended(end)), text))

  it("names the red test, and how it fails", async () => {
    const prompt = promptOf(await ended({ _tag: "TestsRed", round: 1, test: 1, command: "npm test" }))
    assert.strictEqual(prompt, "npm test still fails (exit 1)")
  })

  it("says once that nothing has changed", async () => {
    const why = "npm test still fails (exit 1); nothing has changed since"
    for (const before of ["npm test still fails (exit 1)", why]) {
      assert.strictEqual(promptOf(await ended({ _tag: "Unchanged", asked: asked("TaskBlocked", before) })), why)
    }
  })
})
