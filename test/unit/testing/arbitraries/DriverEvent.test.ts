// DriverEvent: facts of a driver's stream, each of which a log can hold.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { ConvergeEvent } from "../../../../src/core/converge/Event.ts"
import { driverEvent, driverEvents } from "../../../../src/testing/arbitraries/DriverEvent.ts"
import { drawn, least, tagsOf } from "./drawn.ts"

describe("a fact of a driver's stream", () => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ConvergeEvent))

  it.each(Object.entries(driverEvents))("%s comes back from a log as it was written", (_, one) => {
    const arbitrary: fc.Arbitrary<ConvergeEvent> = one()
    for (const fact of drawn(arbitrary, 50)) assert.deepStrictEqual(decode(JSON.stringify(fact)), fact)
  })

  it("is any that there is, and shrinks towards the beginning of the stream", () => {
    assert.sameMembers(tagsOf(drawn(driverEvent)), Object.keys(ConvergeEvent.cases))
    assert.strictEqual(least(driverEvent)._tag, "ConvergeStarted")
  })
})
