// UsageFields: counts of tokens as codex writes them.
import { assert, it } from "vitest"
import { usageFrom } from "../../../src/run/Usage.ts"

it("counts what is there, and takes nothing for a count that is none", () =>
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
