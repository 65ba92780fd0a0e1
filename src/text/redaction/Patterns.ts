// Patterns: the marker that replaces a secret, and replacing what a pattern finds with the rest of its run.

/** The words in a secret's place. */
export const marker = "[redacted]"

// A pattern must bound each repetition: one over millions of characters takes more stack than there is.

/** Whether a letter, a digit, `_` or `-` is at a place. */
export const isNameAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 ||
    code === 45
}

/** The most characters that a repetition of a pattern takes. */
export const mostRepeated = 400

/**
 * The text with what `by` makes of each find of a global pattern. Where a find is so long that a bound may have ended
 * it, the rest of its run belongs to it: letters, digits and what a token holds between them.
 */
export const replaceRuns = (text: string, pattern: RegExp, by: (found: string) => string): string => {
  const kept: Array<string> = []
  let done = 0
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (index < done) continue
    let end = index + found.length
    while (found.length >= mostRepeated && (isNameAt(text, end) || /^[.+/=~]$/.test(text[end] ?? ""))) end++
    kept.push(text.slice(done, index), by(text.slice(index, end)))
    done = end
  }
  return done === 0 ? text : kept.join("") + text.slice(done)
}
