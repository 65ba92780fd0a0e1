// The log's own events: how they are told from those of a kind, and that their stored form stays.
import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { isLogEvent, LogEvent } from "../../../src/log/StreamKind.ts"

const repaired = { _tag: "TailRepaired", offset: 812, bytes: 3, kept: "torn/812-01234567" }

describe("the repair of a torn tail", () => {
  it("reads and writes back as it stands", () => {
    const decoded = Schema.decodeUnknownSync(LogEvent)(repaired)
    assert.deepStrictEqual(Schema.encodeSync(LogEvent)(decoded), repaired)
  })

  it.each([{ offset: -1 }, { bytes: 0.5 }, { kept: 7 }])(
    "is none with %o",
    (fields) => assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(LogEvent)({ ...repaired, ...fields })))
  )
})

describe("an event", () => {
  it.each(Object.keys(LogEvent.cases))("named %s is the log's", (_tag) => assert.isTrue(isLogEvent({ _tag })))
  it("of another name is its kind's", () => assert.isFalse(isLogEvent({ _tag: "RunCreated" })))
})
