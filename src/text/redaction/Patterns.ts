// Patterns: the marker that replaces a secret, places of secrets in a text, and the rest of a long match.

/** The words that replace a secret. */
export const marker = "[redacted]"

/** The place of a secret in a text. */
export interface Span {
  readonly from: number
  readonly to: number
}

// A pattern must bound each repetition: one over millions of characters overflows the stack.

/** The match of a sticky pattern at a place. */
export const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Whether a letter, a digit, `_` or `-` is at a place. */
export const isNameAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 ||
    code === 45
}

/** The most characters that a repetition of a pattern takes. */
export const mostRepeated = 400

/**
 * The places where a global pattern finds a secret: its second group, or the text after its first group, or the whole
 * match. If a match is so long that a bound may have ended it, the rest of its run is included: letters, digits and
 * other characters of tokens.
 */
export const spansOf = (
  text: string,
  pattern: RegExp,
  isSecret: (secret: string) => boolean = () => true
): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let done = 0
  for (const { 0: found, 1: before = "", 2: secret = found.slice(before.length), index } of text.matchAll(pattern)) {
    const from = index + before.length
    if (from < done) continue
    done = from + secret.length
    while (secret.length >= mostRepeated && (isNameAt(text, done) || /^[.+/=~]$/.test(text[done] ?? ""))) done++
    if (isSecret(text.slice(from, done))) spans.push({ from, to: done })
  }
  return spans
}

/** The text with the marker instead of each span; adjacent spans have one marker. */
export const withoutSpans = (text: string, spans: ReadonlyArray<Span>): string => {
  const kept: Array<string> = []
  let done = -1
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    if (from >= to) continue
    if (from > done) kept.push(text.slice(Math.max(0, done), from), marker)
    done = Math.max(done, to)
  }
  return kept.join("") + text.slice(Math.max(0, done))
}
