// Budget: what a prompt says of the tokens that its run has used and may use.
import type { Usage } from "../run/Usage.ts"

/** The tokens of a usage: cached ones are a part of the input, reasoning a part of the output. */
export const tokensOf = ({ input, output }: Usage): number => input + output

/** The prompt, with the line that says how much of the budget is used. Without a budget it is the prompt itself. */
export const withBudget = (prompt: string, used: Usage, limit: number | null): string =>
  limit === null ? prompt : `${prompt.trimEnd()}\n\nToken usage: ${tokensOf(used)}/${limit}\n`
