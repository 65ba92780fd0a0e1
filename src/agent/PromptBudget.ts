// PromptBudget: which part of a prompt fits the model, and the tokens left.
import type { Usage } from "../run/Usage.ts"
import { counted } from "../text/Phrases.ts"

// The line of a prompt about the tokens that its run has used and may use.

/** The tokens of a usage: cached ones are a part of the input, reasoning a part of the output. */
export const tokensOf = ({ input, output }: Usage): number => input + output

/** The prompt, with the line that says how much of the budget is used. Without a budget it is the prompt itself. */
export const withBudget = (prompt: string, used: Usage, limit: number | null): string =>
  limit === null ? prompt : `${prompt.trimEnd()}\n\nToken usage: ${tokensOf(used)}/${limit}\n`

// The digest of earlier rounds in a prompt, made to fit the model's context: the oldest items are dropped first.

/** A prompt with a digest in it: `items`, oldest first, between two texts that always stay. */
export interface DigestPrompt {
  readonly before: string
  readonly items: ReadonlyArray<string>
  readonly after: string
}

/** The part of the context window that a prompt may fill. */
const share = 0.8
/** The most bytes of a prompt, whatever the window: codex takes 1,048,576 characters in a turn. */
export const mostBytes = 1_000_000

const bytesIn = (text: string): number => new TextEncoder().encode(text).length

const gap = "\n\n"

const notice = (dropped: number): ReadonlyArray<string> =>
  dropped === 0 ? [] : [`(${counted(dropped, "older item")} left out, so that this prompt fits the model's context)`]

const written = ({ after, before, items }: DigestPrompt, dropped: number): string =>
  [before, ...notice(dropped), ...items.slice(dropped), after].join(gap)

/**
 * The prompt with as many of its newest items as fit 80 % of the context window, in tokens, and codex's own limit,
 * which alone holds if the window is not known. Once the model has `refused` the whole prompt, it gets at most half of
 * it.
 */
export const compactPrompt = (prompt: DigestPrompt, contextWindow: number | null, refused = false): string => {
  const whole = bytesIn(written(prompt, 0))
  const window = contextWindow === null ? Infinity : share * contextWindow
  const limit = Math.min(window, mostBytes / 4, refused ? whole / 8 : Infinity)
  let dropped = 0
  let bytes = whole
  for (const item of prompt.items) {
    const noticeBytes = notice(dropped).reduce((sum, line) => sum + bytesIn(gap + line), 0)
    if ((bytes + noticeBytes) / 4 <= limit) break
    bytes -= bytesIn(gap + item)
    dropped++
  }
  return written(prompt, dropped)
}
