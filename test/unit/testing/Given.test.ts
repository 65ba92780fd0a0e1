// Given: the sentences of the test kit, and that a wrong one is refused.
// What is left out of `then` is not looked at; what is named is compared whole.
import { assert, describe, it } from "vitest"
import { given, manifestAt } from "../../../src/testing/Given.ts"

describe("given a run", () => {
  it("that is new, a clean retrospective advances", () =>
    given({}).when({ _tag: "RetroClean" }).then({ level: "medium", batch: 1, outcome: { _tag: "Idle" } }))

  it("at the ceiling, a clean retrospective is the fixed point", () =>
    given({ level: "high" }).when({ _tag: "RetroClean" }, "high").then({
      line: "retrospective clean at ceiling (high); fixed point reached",
      outcome: { _tag: "DoneFixedPoint" },
      level: "high"
    }))

  it("with reviews that found issues, an addressed batch drops a level and counts them", () =>
    given({ level: "high", reviews: ["HasIssues", "Clean", "HasIssues"] }).when({ _tag: "AddressPassed" }).then({
      line: "address passed at high (2 review(s) with issues); dropped to medium",
      level: "medium",
      batch: 1
    }))

  it("as a manifest, takes it as it is", () =>
    given(manifestAt({ floor: "medium", level: "xhigh" })).when({ _tag: "RestartFromFloor" }).then({
      events: [{ _tag: "BatchOpened", level: "medium", batch: 2, from: "xhigh", cause: "Restarted" }]
    }))
})

describe("a sentence that is not true", () => {
  const then = given({}).when({ _tag: "RetroClean" }).then

  it("throws with both sides", () =>
    assert.throws(() => then({ level: "high" }), 'expected {"level":"high"}, found {"level":"medium"}'))

  it("throws for a wrong outcome, line or event", () => {
    assert.throws(() => then({ outcome: { _tag: "DoneFixedPoint" } }))
    assert.throws(() => then({ line: null }))
    assert.throws(() => then({ events: [] }))
  })
})
