// UsageFields: the tokens that codex counts, in either grammar.
import type { Usage } from "./AgentEvent.ts"
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
  return usage.input === 0 && usage.cached === 0 && usage.output === 0 && usage.reasoning === 0 ? null : usage
}
