// Kit: the arbitraries of the test kit: what they make is what the domain admits, and overrides are kept.
// The domain's own validation is the judge; a generator that stops short of it proves less than it says.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Event } from "../src/run/Event.ts"
import { Finding } from "../src/review/findings/Finding.ts"
import * as Invocation from "../src/run/Invocation.ts"
import { Mark } from "../src/run/Mark.ts"
import { Outcome } from "../src/run/Outcome.ts"
import { Target } from "../src/run/Target.ts"
import { VerdictClass } from "../src/review/verdict/Verdict.ts"
import { arbitraries } from "../src/testing.ts"
import { histories } from "./histories.ts"

const { actions, events, finding, invocation, marks, outcomes, settings, targets, verdict, verdicts } = arbitraries

describe("arbitraries", () => {
  it("have every case of every union", () => {
    const cases = [[events, Event], [marks, Mark], [outcomes, Outcome], [targets, Target]] as const
    for (const [made, union] of cases) assert.sameMembers(Object.keys(made), Object.keys(union.cases))
    assert.sameMembers(Object.keys(verdicts), [...VerdictClass.literals])
    const tags: Readonly<Record<Invocation.Action["_tag"], true>> = { Loop: true, Inspect: true, SideEffect: true }
    assert.sameMembers(Object.keys(actions), Object.keys(tags))
  })

  it("make invocations that are admitted unchanged", () =>
    fc.assert(
      fc.property(invocation(), (one) => assert.deepStrictEqual(Invocation.make(one.settings, one.action), one))
    ))

  it("make findings that the schema admits, and no place outside the repository", () =>
    fc.assert(fc.property(finding(), (one) => {
      assert.isTrue(Schema.is(Finding)(one))
      assert.notMatch(one.path ?? "", /^(\/|\.\.(\/|$))/)
    })))

  it("make findings only for verdicts with issues", () =>
    fc.assert(fc.property(verdict, (one) => {
      assert.isTrue(one._tag === "HasIssues" || one.findings.length === 0)
    })))

  it("take overrides", () =>
    fc.assert(fc.property(
      settings({ floor: fc.constant("high"), strictTarget: fc.constant(true) }),
      finding({ slot: fc.constant(7) }),
      verdicts.Clean({ reason: fc.constant("no-defect-stated") }),
      ({ ceiling, floor, strictTarget }, { detectedBy }, { reason }) => {
        assert.deepStrictEqual([floor, strictTarget, detectedBy, reason], ["high", true, [7], "no-defect-stated"])
        assert.include(["high", "xhigh"], ceiling)
      }
    )))
})

describe("the named histories", () => {
  const tags = (name: string): ReadonlyArray<string> =>
    (histories[name]?.commits ?? []).flatMap((line) => line.events.map(({ _tag }) => _tag))

  it("hold what they are named for", () => {
    assert.deepStrictEqual(tags("nothing but its creation"), ["RunCreated"])
    assert.notInclude(tags("an advance at the ladder edge"), "BatchOpened")
    assert.strictEqual(
      tags("a clean retrospective at the ladder edge, above the ceiling").at(-1),
      "LevelOutcomeRecorded"
    )
    assert.include(tags("a failed batch, run again"), "BatchFailed")
    assert.notInclude(tags("a transient failure, tried again"), "BatchFailed")
    assert.include(tags("reviewers that were stopped, started again"), "ReviewStopped")
    assert.include(tags("a fixed point, left again"), "FixedPointReached")
    const again = ["a failed batch, run again", "a transient failure, tried again", "code that changed under review"]
    for (const name of [...again, "reviewers that were stopped, started again"]) {
      assert.strictEqual(tags(name).at(-1), "ReviewStarted", name)
    }
    const { manifest } = histories["down and up again: no batch number is used twice"] ?? {}
    assert.deepStrictEqual(manifest?.opened, { low: 2, medium: 2, high: 0, xhigh: 0 })
  })
})
