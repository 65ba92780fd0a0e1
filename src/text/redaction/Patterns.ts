// Patterns: the marker that replaces a secret, places of secrets in a text, and the rest of the run of a find.

/** The words in a secret's place. */
export const marker = "[redacted]"

/** Where a secret is in a text. */
export interface Span {
  readonly from: number
  readonly to: number
}

// A pattern must bound each repetition: one over millions of characters takes more stack than there is.

/** What a sticky pattern matches at a place. */
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
 * Where a global pattern finds a secret: in its second group, or behind its first group, or in all of the find. Where
 * one is so long that a bound may have ended it, the rest of its run belongs to it: letters, digits and what a token
 * holds between them.
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

/** The text with the marker in the place of each span; spans that touch have one marker. */
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
