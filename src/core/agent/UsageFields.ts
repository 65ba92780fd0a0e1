// UsageFields: the tokens that codex counts, in either grammar.
import { isNoUsage, type Usage } from "../run/Usage.ts"
import { isFields, wholeOrNull } from "../text/Fields.ts"

/**
 * Reads a count of tokens. Null where nothing is told: codex writes zeros where it does not know, as it does for every
 * review.
 */
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
