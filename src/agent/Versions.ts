// Versions: the oldest supported versions of codex and Claude Code, and whether a text names an older one.

/** The first version of codex that reviews at the requested effort and prints its review to standard output. */
export const leastCodex = [0, 117, 0] as const
/** The first version of Claude Code that calls all hooks and takes all arguments. */
export const leastClaude = [2, 1, 197] as const

/** Whether a text names an older version than another one. False if the text cannot be read. */
export const isBelow = (text: string, least: ReadonlyArray<number>): boolean => {
  const named = /\d+(?:\.\d+)+/.exec(text)?.[0].split(".").map(Number) ?? least
  const at = least.findIndex((part, i) => part !== (named[i] ?? 0))
  return at >= 0 && (named[at] ?? 0) < (least[at] ?? 0)
}
