// Usage: the tokens of a review, an agent or a whole run, and how they are shown.
import { Schema } from "effect"
import { isFields, wholeOrNull } from "../text/Json.ts"
import { shortCount } from "../text/Phrases.ts"

const Tokens = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Tokens as codex counts them: `cached` is a part of `input`, and `reasoning` a part of `output`. */
export const Usage = Schema.Struct({ input: Tokens, cached: Tokens, output: Tokens, reasoning: Tokens })
export type Usage = typeof Usage.Type

/** No tokens at all. */
export const noUsage: Usage = { input: 0, cached: 0, output: 0, reasoning: 0 }

// Counts come from files of other programs. A sum of absurd counts stops at the largest exact whole number.
const added = (a: number, b: number): number => Math.min(Number.MAX_SAFE_INTEGER, a + b)

/** The sum of two usages. */
export const plusUsage = (a: Usage, b: Usage): Usage => ({
  input: added(a.input, b.input),
  cached: added(a.cached, b.cached),
  output: added(a.output, b.output),
  reasoning: added(a.reasoning, b.reasoning)
})

/** The sum of several usages. */
export const sumOfUsage = (all: Iterable<Usage>): Usage => {
  let sum = noUsage
  for (const one of all) sum = plusUsage(sum, one)
  return sum
}

/** Whether no token was counted. */
export const isNoUsage = ({ cached, input, output, reasoning }: Usage): boolean =>
  input === 0 && cached === 0 && output === 0 && reasoning === 0

/** Tokens in a narrow place: `1.2M in, 34k out`. */
export const briefUsage = ({ input, output }: Usage): string => `${shortCount(input)} in, ${shortCount(output)} out`

const part = (count: number, name: string): string => count === 0 ? "" : ` (${shortCount(count)} ${name})`

/** Tokens in a sentence: `1.2M tokens in (1.1M cached), 34k out (12k reasoning)`. */
export const usageText = ({ cached, input, output, reasoning }: Usage): string =>
  `${shortCount(input)} tokens in${part(cached, "cached")}, ${shortCount(output)} out${part(reasoning, "reasoning")}`

// Reading the tokens that codex counts, in either grammar

/** Reads a count of tokens; null for zeros, which codex writes if it does not know, as for every review. */
export const usageFrom = (value: unknown): Usage | null => {
  if (!isFields(value)) return null
  const count = (name: string) => Math.max(0, wholeOrNull(value[name]) ?? 0)
  const usage = {
    input: count("input_tokens"),
    cached: count("cached_input_tokens"),
    output: count("output_tokens"),
    reasoning: count("reasoning_output_tokens")
  }
  return isNoUsage(usage) ? null : usage
}
