// Usage: token counts as codex writes them, their sums, and their text.
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

describe("sums of tokens, and their text", () => {
  const some: Usage = { input: 1_234_567, cached: 1_100_000, output: 34_000, reasoning: 12_000 }

  describe("the sum of tokens", () => {
    it("adds each count, and is null without any", () => {
      assert.deepStrictEqual(sumOfUsage([]), noUsage)
      assert.deepStrictEqual(sumOfUsage([some, { input: 1, cached: 2, output: 3, reasoning: 4 }]), {
        input: 1_234_568,
        cached: 1_100_002,
        output: 34_003,
        reasoning: 12_004
      })
    })

    it("can be written to a log however large the counts are", () => {
      const most = { ...noUsage, output: Number.MAX_SAFE_INTEGER }
      assert.deepStrictEqual(plusUsage(most, most), most)
      assert.deepStrictEqual(Schema.decodeUnknownSync(Usage)(sumOfUsage([most, most, some])).output, most.output)
    })

    it("is null only if every count is null", () => {
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

  it("are printed as a sentence, and short", () => {
    assert.strictEqual(usageText(some), "1.2M tokens in (1.1M cached), 34k out (12k reasoning)")
    assert.strictEqual(usageText({ ...noUsage, input: 900, output: 80 }), "900 tokens in, 80 out")
    assert.strictEqual(briefUsage(some), "1.2M in, 34k out")
  })
})

describe("the counts of codex", () => {
  it("are read if they exist, and are zero if they are invalid", () =>
    assert.deepStrictEqual(usageFrom({ input_tokens: 5, output_tokens: -1, cached_input_tokens: "7" }), {
      input: 5,
      cached: 0,
      output: 0,
      reasoning: 0
    }))

  it.each([null, [], 3, {}, { input_tokens: 0, output_tokens: 0 }])(
    "are null for %j",
    (value) => assert.isNull(usageFrom(value))
  )
})
