// End: how a call ended is data; the header says the same, and lines of earlier versions are decoded to it.
import { assert, describe, it } from "vitest"
import { actionOf, type Cause, type DriverEnd, type Ended, endOf, isHeaderOf } from "../../../src/drive/End.ts"
import { agentFailedEnd, consentEnd, gaveUp, human, protectedEnd } from "../../../src/drive/Ends.ts"
import { planHeader } from "../../../src/drive/plan/Outcome.ts"
import { evolveDriven, undriven } from "../../../src/drive/State.ts"

const tests = "npm test still fails (exit 1)"
type Outcome = Ended | { readonly _tag: "DoneAccepted" }

const ended = (cause: Cause, why: string): readonly [Outcome, DriverEnd] => [
  human(cause, why),
  { _tag: "Asked", cause }
]

const ends: ReadonlyArray<readonly [Outcome, DriverEnd]> = [
  [{ _tag: "DoneFixedPoint" }, { _tag: "FixedPoint" }],
  [{ _tag: "DoneAccepted" }, { _tag: "Accepted" }],
  [{ _tag: "DoneAborted" }, { _tag: "Aborted" }],
  [{ _tag: "BinaryError", message: "2 review(s) of low batch 1 failed: x", reviews: 2 }, {
    _tag: "Failed",
    reviews: 2
  }],
  [{ _tag: "BinaryError", message: "the disk is full" }, { _tag: "Failed" }],
  [{ _tag: "Idle" }, { _tag: "Failed" }],
  [{ _tag: "HandoffHuman", action: "TestsFailedTriage", prompt: tests }, {
    _tag: "Asked",
    cause: { _tag: "TestsRed" }
  }],
  [consentEnd("red-baseline", "x fails [--allow red-baseline lets agents fix it]"), {
    _tag: "Asked",
    cause: { _tag: "Consent", consent: "red-baseline" }
  }],
  [protectedEnd(["a.sql"]), { _tag: "Asked", cause: { _tag: "Protected" } }],
  [agentFailedEnd({ ending: { _tag: "Login", message: "401" }, remedy: null }), {
    _tag: "Asked",
    cause: { _tag: "AgentFailed" }
  }],
  ended({ _tag: "TestsRed" }, tests),
  ended({ _tag: "CommitRefused" }, "the tests pass, but git refused to commit: no"),
  ended({ _tag: "Rejected" }, 'an agent\'s answer cannot be used: "x"'),
  ended({ _tag: "ChangedMeanwhile" }, "plan.md was changed while its tasks were worked on"),
  ended({ _tag: "NothingDone" }, "the implementer names no task as done: x"),
  ended({ _tag: "GitChanged" }, "git's own state changed"),
  [{ _tag: "StuckCapReached", action: "AddressBatch", key: "patience" }, { _tag: "GaveUp", limit: "patience" }],
  [{ _tag: "StuckCapReached", action: "Retrospective", key: "max-rounds" }, { _tag: "GaveUp", limit: "max-rounds" }],
  [{ _tag: "StuckCapReached", action: "RunReviews", key: "low/1/max-batches" }, {
    _tag: "GaveUp",
    limit: "max-batches"
  }],
  [{ _tag: "StuckCapReached", action: "AwaitReviews", key: "low/1" }, { _tag: "GaveUp", limit: "steps" }],
  [{ _tag: "StuckRepeated", action: "RunReviews", key: "low/1", advice: "wait" }, { _tag: "GaveUp", limit: "reviews" }],
  [{ _tag: "StuckRepeated", action: "AddressBatch", key: "a".repeat(40) }, { _tag: "GaveUp", limit: "circle" }]
]

/** The state after an end of a driver. */
const after = (outcome: Outcome, end?: DriverEnd) => {
  const begun = evolveDriven(undriven, { _tag: "DriverStarted", driver: "d", pid: 1 }, 0)
  const why = outcome._tag === "HandoffHuman" ? { why: outcome.prompt } : {}
  const event = { _tag: "DriverEnded", driver: "d", outcome: planHeader(outcome), ...why } as const
  return evolveDriven(begun, end === undefined ? event : { ...event, end }, 1)
}

describe("how a call ended", () => {
  it.each(ends)("follows from its outcome, as its header does: %o", (outcome, end) => {
    assert.deepStrictEqual(endOf(outcome), end)
    assert.isTrue(isHeaderOf(planHeader(outcome), end))
  })

  it.each(ends)(
    "is decoded from the texts of an earlier version: %o",
    (outcome, end) => assert.deepStrictEqual(after(outcome).drivers[0]?.end, end)
  )

  it("counts as recorded, whatever the texts say", () => {
    const end: DriverEnd = { _tag: "Asked", cause: { _tag: "CommitLacks" } }
    assert.deepStrictEqual(after(human({ _tag: "TestsRed" }, tests), end).drivers[0]?.end, end)
  })

  it("is not what another header says", () => {
    for (const [one, end] of ends) {
      for (const [other, otherEnd] of ends) {
        const word = (of: DriverEnd) => of._tag === "Asked" ? actionOf[of.cause._tag] : of._tag
        assert.strictEqual(isHeaderOf(planHeader(other), end), word(end) === word(otherEnd), one._tag)
      }
    }
  })

  it("has a sentence for each limit", () => {
    const texts = ends.flatMap(([outcome]) =>
      outcome._tag === "StuckRepeated" || outcome._tag === "StuckCapReached" ? [gaveUp(outcome, { patience: 6 })] : []
    )
    assert.strictEqual(new Set(texts).size, texts.length)
  })
})
