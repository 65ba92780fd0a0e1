// Event: what is written to the log is what is read from it.
// The round trip goes through JSON text, as in the log, for every event.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Event } from "../src/run/Event.ts"
import { Mark } from "../src/run/Mark.ts"
import { runIdPattern } from "../src/log/Refs.ts"
import { arbitraries } from "../src/testing/Arbitraries.ts"

const { event, events, mark, runId } = arbitraries
const Line = Schema.fromJsonString(Event)

/** What JSON or a reader of lines could take for something else. */
const edges: Array<[Event]> = [
  "",
  "\n",
  "\u2028",
  "\ufeff",
  "\u0000",
  "\ud800",
  '"}\n{"v":1',
  "__proto__",
  "\\u000a"
].map((text): [Event] => [{ _tag: "AddressFailed", level: "xhigh", batch: Number.MAX_SAFE_INTEGER, details: { text } }])

describe("encoding", () => {
  it.each(Object.keys(events))(
    "of %s is undone by decoding",
    (tag) =>
      fc.assert(
        fc.property(event.filter((one) => one._tag === tag), (one) => {
          assert.deepStrictEqual(Schema.decodeUnknownSync(Line)(Schema.encodeSync(Line)(one)), one)
        }),
        { numRuns: 30 }
      )
  )

  it("gives the same text again: bytes are stable", () =>
    fc.assert(
      fc.property(event, (one) => {
        const text = Schema.encodeSync(Line)(one)
        assert.strictEqual(Schema.encodeSync(Line)(Schema.decodeUnknownSync(Line)(text)), text)
        assert.deepStrictEqual(Schema.decodeUnknownSync(Line)(text), one)
        assert.notInclude(text, "\n")
      }),
      { examples: edges }
    ))

  it("of marks is undone by decoding", () =>
    fc.assert(
      fc.property(mark, (one) =>
        assert.deepStrictEqual(Schema.decodeUnknownSync(Mark)(JSON.parse(JSON.stringify(one))), one))
    ))
})

describe("generators", () => {
  it("cover every fact", () => assert.deepStrictEqual(Object.keys(events), Object.keys(Event.cases)))

  it("take overrides, so that two facts can share what matters", () =>
    fc.assert(fc.property(events.ReviewFinished({ level: fc.constant("high"), slot: fc.constant(9) }), (one) => {
      assert.deepInclude(one, { _tag: "ReviewFinished", level: "high", slot: 9 })
    })))

  it("make run ids of the contract's form", () => fc.assert(fc.property(runId, (id) => assert.match(id, runIdPattern))))
})
