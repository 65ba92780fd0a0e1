// Usage: sums of tokens are total and never negative, whatever was counted, and can always be written to a log.
// The order in which reviews and agents end makes no difference.
import * as fc from "fast-check"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { plusUsage, sumOfUsage, Usage, usageFrom, usageText } from "../src/run/Usage.ts"
import { usage } from "../src/testing/arbitraries/Fact.ts"

describe("tokens", () => {
  it("add up to tokens, in any order and in any parts", () => {
    fc.assert(fc.property(fc.array(usage, { maxLength: 9 }), fc.nat(9), (all, at) => {
      const sum = sumOfUsage(all)
      assert.isTrue(Schema.is(Usage)(sum))
      assert.deepStrictEqual(sumOfUsage([...all].reverse()), sum)
      assert.deepStrictEqual(plusUsage(sumOfUsage(all.slice(0, at)), sumOfUsage(all.slice(at))), sum)
    }))
  })

  it("are read from anything, as counts or as none", () => {
    const count = fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger(), fc.string(), fc.constant(null))
    const counts = fc.record(
      { input_tokens: count, cached_input_tokens: count, output_tokens: count, reasoning_output_tokens: count },
      { requiredKeys: [] }
    )
    fc.assert(fc.property(fc.oneof(counts, fc.jsonValue()), (value) => {
      const read = usageFrom(value)
      assert.isTrue(read === null || Schema.is(Usage)(read))
    }))
  })

  it("read in few characters on one line", () => {
    fc.assert(fc.property(usage, (one) => assert.match(usageText(one), /^[\w.]+ tokens in( \([\w. ]+\))?, .{2,40}$/)))
  })
})
