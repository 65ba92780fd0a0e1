// RoundEvent: facts of a driver's rounds, each of which a log can hold, and which hold of one another.
import { Schema } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { taskEvents } from "../../../../src/core/agent/TaskEvent.ts"
import { ConvergeEvent } from "../../../../src/core/converge/Event.ts"
import { roundEvents } from "../../../../src/testing/arbitraries/RoundEvent.ts"
import { drawn } from "./drawn.ts"

describe("a fact of a driver's rounds", () => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ConvergeEvent))

  it.each(Object.entries(roundEvents))("%s comes back from a log as it was written", (tag, one) => {
    const arbitrary: fc.Arbitrary<ConvergeEvent> = one()
    for (const fact of drawn(arbitrary, 50)) {
      assert.strictEqual(fact._tag, tag)
      assert.deepStrictEqual(decode(JSON.stringify(fact)), fact)
    }
  })

  it("is one for each that is no agent's and does not begin the stream", () => {
    const others = Object.keys(ConvergeEvent.cases).filter((tag) => !Object.hasOwn(taskEvents, tag))
    assert.sameMembers(Object.keys(roundEvents), others.filter((tag) => tag !== "ConvergeStarted"))
  })

  it("ends a test in every way, and answers with every word", () => {
    const exits = drawn(roundEvents.TestFinished()).map(({ exit }) => exit)
    assert.include(exits, null)
    assert.isTrue(exits.some((exit) => exit !== null && exit > 0))
    const words = drawn(roundEvents.RoundAnswered()).flatMap(({ answers }) => answers.map(({ answer }) => answer))
    assert.sameMembers([...new Set(words)], ["fixed", "refuted", "documented", "not-done"])
  })
})
