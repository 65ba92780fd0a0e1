// Usage: counts of tokens as codex writes them, their sums, and how they read.
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import {
  briefUsage,
  isNoUsage,
  noUsage,
  plusUsage,
  sumOfUsage,
  Usage,
  usageFrom,
  usageText
} from "../../../src/run/Usage.ts"

describe("sums of tokens, and how they read", () => {
  const some: Usage = { input: 1_234_567, cached: 1_100_000, output: 34_000, reasoning: 12_000 }

  describe("the sum of tokens", () => {
    it("adds each count by itself, and is nothing of nothing", () => {
      assert.deepStrictEqual(sumOfUsage([]), noUsage)
      assert.deepStrictEqual(sumOfUsage([some, { input: 1, cached: 2, output: 3, reasoning: 4 }]), {
        input: 1_234_568,
        cached: 1_100_002,
        output: 34_003,
        reasoning: 12_004
      })
    })

    it("can be written to a log however absurd the counts are", () => {
      const most = { ...noUsage, output: Number.MAX_SAFE_INTEGER }
      assert.deepStrictEqual(plusUsage(most, most), most)
      assert.deepStrictEqual(Schema.decodeUnknownSync(Usage)(sumOfUsage([most, most, some])).output, most.output)
    })

    it("is nothing only where every count is nothing", () => {
      assert.isTrue(isNoUsage(noUsage))
      for (const name of ["input", "cached", "output", "reasoning"] as const) {
        assert.isFalse(isNoUsage({ ...noUsage, [name]: 1 }), name)
      }
    })
  })

  it("refuses invalid counts", () => {
    for (const input of [-1, 0.5, Number.NaN, "3", null]) {
      assert.isFalse(Schema.is(Usage)({ ...noUsage, input }), String(input))
    }
  })

  it("reads as a sentence and in a narrow place", () => {
    assert.strictEqual(usageText(some), "1.2M tokens in (1.1M cached), 34k out (12k reasoning)")
    assert.strictEqual(usageText({ ...noUsage, input: 900, output: 80 }), "900 tokens in, 80 out")
    assert.strictEqual(briefUsage(some), "1.2M in, 34k out")
  })
})

describe("the counts of codex", () => {
  it("reads the counts that exist, and zero for an invalid one", () =>
    assert.deepStrictEqual(usageFrom({ input_tokens: 5, output_tokens: -1, cached_input_tokens: "7" }), {
      input: 5,
      cached: 0,
      output: 0,
      reasoning: 0
    }))

  it.each([null, [], 3, {}, { input_tokens: 0, output_tokens: 0 }])(
    "knows nothing from %j",
    (value) => assert.isNull(usageFrom(value))
  )
})
