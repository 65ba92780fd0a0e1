// Unwrapped: a text as its readers see it. Escapes, entities, colours and the marks in front of lines hide names and
// secrets from any pattern, so secrets are also searched in the text without them. Texts are wrapped more than once,
// such as JSON in JSON, so a text is unwrapped step by step; each step knows where its characters come from.
import type { Span } from "./Patterns.ts"

/** A text, and where a span of it is in the original text. A span with dropped parts has several places. */
export interface Unwrapped {
  readonly text: string
  readonly source: (span: Span) => ReadonlyArray<Span>
}

const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: "&", lt: "<", gt: ">", nbsp: " " }
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }
const wrappings = [
  // Terminal colours and links, also as code writes them, and invisible characters.
  String.raw`(?:\x1b|\u241b|\\(?:u001[bB]|x1[bB]|e|033))\[[0-9;:?]{0,20}[A-Za-z]`,
  String.raw`\x1b\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)`,
  String.raw`[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]`,
  // A line continued on the next one.
  String.raw`\\\r?\n`,
  String.raw`\\(?:u00|x)([2-7][0-9A-Fa-f])`,
  String.raw`%(0[9AaDd]|[2-7][0-9A-Fa-f])`,
  String.raw`&#x0{0,4}([2-7][0-9A-Fa-f]);`,
  String.raw`&#0{0,4}(\d{2,3});`,
  String.raw`&(quot|apos|amp|lt|gt|nbsp);`,
  String.raw`\\([nrt"'\x60/\\])`,
  // The prefix of a line: a time and a service in a log, a place in a file, the mark of a change or of a list.
  String.raw`(?<=^|\n)(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.,:+-]{2,20}Z?|[\w.-]{1,40} {1,20}\||` +
  String.raw`[\w./-]{1,200}[:-]\d{1,6}[:-]|[\w./-]{1,200}\.\w{1,10}:(?=[\w"'])| {0,8}\d{1,6}[:|\t\u2192])`,
  String.raw`(?<=(?:^|[^\\]\n)[ \t]{0,40})(?:[+>|#]|-(?!-))`,
  // Text in base64 or in hexadecimal digits.
  String.raw`(?<![\w+/=.-])(?:[2-7][\da-f]|0[9ad]){12,8000}(?!\w)`,
  String.raw`(?<![\w+/=.-])(?:[CI-Za-f][\w+/-]{3}){2,5000}[\w+/-]{0,3}={0,2}(?![\w+/=-])`,
  // Words for a password in other scripts, and letters that look like ASCII letters.
  String.raw`contrase\xf1a|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6[\u7801\u78bc]|\u30d1\u30b9\u30ef\u30fc\u30c9`,
  String.raw`[\uff01-\uff5e\u0430\u0435\u043e\u0440\u0441\u0445\u0443]`
]
const wrapping = new RegExp(wrappings.join("|"), "g")

const alike = "aeopcxy"
const cyrillic = "\u0430\u0435\u043e\u0440\u0441\u0445\u0443"

/** The text in a run of base64 or hexadecimal digits; null if it holds bytes. */
const decoded = (run: string): string | null => {
  const pairs = run.match(/../g) ?? []
  const digits = run.replace(/=+$/, "").replace(/-/g, "+").replace(/_/g, "/")
  const text = /^[\da-f]+$/i.test(run)
    ? String.fromCharCode(...pairs.map((pair) => Number.parseInt(pair, 16)))
    : digits.length % 4 === 1
    ? ""
    : atob(digits)
  if (!/^[\t\r\n -~]{7,}$/.test(text)) return null
  // A user and a password, as basic authentication has them.
  return /^(?!\d+:)[\w.@+-]{1,64}:[^\s:]{2,}$/.test(text) ? `://${text}@` : text
}

const meaning = (...[whole, escaped, percent, hexadecimal, decimal, entity, letter]: ReadonlyArray<string>): string => {
  const code = escaped ?? percent ?? hexadecimal
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  if (decimal !== undefined) return Number(decimal) < 127 ? String.fromCharCode(Number(decimal)) : " "
  if (entity !== undefined) return entities[entity] ?? " "
  if (letter !== undefined) return escapes[letter] ?? letter
  const run = whole ?? ""
  const look = cyrillic.indexOf(run)
  if (run.length === 1 && look >= 0) return alike[look] ?? run
  if (/^[\uff01-\uff5e]$/.test(run)) return String.fromCharCode(run.charCodeAt(0) - 0xfee0)
  if (/^(?:contra|[\u043f\u5bc6\u30d1].)/.test(run)) return "password"
  if (/^[\w+/-]{8,}={0,2}$/.test(run)) return decoded(run) ?? run
  // A mark of a line is as wide as a blank: what is indented below it stays below it.
  return /^[\x1b␛\\\u00ad\u200b-\u2064\ufeff]/.test(whole ?? "") ? "" : " "
}

interface Find {
  /** Where it is in the new text, and how many characters it has there. */
  readonly at: number
  readonly length: number
  /** Where it was. */
  readonly from: number
  readonly to: number
}

/** A text in which `by` replaces the matches of a global pattern; null if nothing changes. */
export const replaced = (
  text: string,
  pattern: RegExp,
  by: (...found: ReadonlyArray<string>) => string
): Unwrapped | null => {
  const kept: Array<string> = []
  const finds: Array<Find> = []
  let from = 0
  let at = 0
  for (const found of text.matchAll(pattern)) {
    const character = by(...found)
    if (character === found[0]) continue
    at += found.index - from
    kept.push(text.slice(from, found.index), character)
    from = found.index + found[0].length
    finds.push({ at, length: character.length, from: found.index, to: from })
    at += character.length
  }
  if (finds.length === 0) return null
  kept.push(text.slice(from))
  /** The index of the last find at a place or before it; -1 if there is none. */
  const before = (place: number): number => {
    let [low, high] = [0, finds.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((finds[middle]?.at ?? 0) <= place) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  /** The original place of a character. */
  const placeOf = (place: number): Span => {
    const find = finds[before(place)]
    if (find === undefined) return { from: place, to: place + 1 }
    if (place < find.at + find.length) return find
    const from = find.to + place - find.at - find.length
    return { from, to: from + 1 }
  }
  const source = (span: Span): ReadonlyArray<Span> => {
    const spans: Array<Span> = []
    let { from } = placeOf(span.from)
    for (let i = before(span.from) + 1; (finds[i]?.at ?? span.to) < span.to; i++) {
      const find = finds[i]
      if (find === undefined || find.length > 0) continue
      spans.push({ from, to: find.from })
      from = find.to
    }
    return [...spans, { from, to: placeOf(span.to - 1).to }]
  }
  return { text: kept.join(""), source }
}

const mostWrapped = 4

/** A text without one wrapping after another, the outermost first. */
export const unwrapped = (text: string): ReadonlyArray<Unwrapped> => {
  const all: Array<Unwrapped> = []
  for (let outer: Unwrapped = { text, source: (span) => [span] }; all.length < mostWrapped;) {
    const { source } = outer
    const inner = replaced(outer.text, wrapping, meaning)
    if (inner === null) break
    outer = { text: inner.text, source: (span) => inner.source(span).flatMap(source) }
    all.push(outer)
  }
  return all
}
