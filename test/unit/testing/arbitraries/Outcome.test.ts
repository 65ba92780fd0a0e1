// Outcome: every outcome of an invocation, with texts that try to break out of the streams.
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Outcome } from "../../../../src/run/Outcome.ts"
import { outcome, outcomes } from "../../../../src/testing/arbitraries/Invocation.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

describe("an outcome", () => {
  it("is any that there is, admitted by the domain, and shrinks towards the fixed point", () => {
    const all = drawn(outcome)
    assert.sameMembers(tagsOf(all), Object.keys(Outcome.cases))
    for (const one of all) assert.isTrue(Schema.is(Outcome)(one))
    assert.deepStrictEqual(least(outcome), { _tag: "DoneFixedPoint" })
  })

  it("carries texts that forge headers and break lines", () => {
    const prompts = drawn(outcomes.HandoffAgent()).map(({ prompt }) => prompt)
    assert.isTrue(prompts.some((text) => /(^|[\n\r\u2028])(DoneFixedPoint|Idle)/.test(text)))
    assert.isTrue(drawn(outcomes.BinaryError()).some(({ message }) => message.includes("\u2028")))
  })
})
