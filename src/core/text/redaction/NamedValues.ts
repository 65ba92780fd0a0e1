// NamedValues: takes values out of a text that stand behind the name of a secret, in code, JSON, YAML, shell or env.
// Each value is looked at once for each name before it, and within bounds, so the time grows with the text alone.
import { marker } from "./Marker.ts"
import { isNameAt } from "./Runs.ts"
import { isSecretName, secretWord } from "./SecretName.ts"
import { type Form, isSecretContent, isSecretPlain } from "./SecretValue.ts"

/** A piece of a text. */
interface Span {
  readonly from: number
  readonly to: number
}

const mostName = 64
const mostQuoted = 10_000

const separator = /(?:\\{0,7}["'`])?\]?\??(?:[ \t]{0,20}(:=|=>|=|:)(?![=:~])[ \t]{0,20})/y
const broken = /\r?\n[ \t]{0,80}(?=[A-Za-z@$]{0,2}["'`])/y
const typed = /[A-Za-z_&][\w.<>[\]|?, &]{0,80}?[ \t]*=[ \t]*(?=[A-Za-z@$]{0,2}\\{0,7}["'`])/y
const opening = /[([]?[ \t]{0,20}[A-Za-z@$]{0,2}(\\{0,7})("""|'''|["'`])/y
const scheme = /(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|OAuth|Bot|Hawk|SSWS|GenieKey|AWS4-HMAC-SHA256) {1,20}/iy
// The beginning of a longer value is enough to tell what it is.
const mostJudged = 128
const spreads = {
  narrow: String.raw`\[redacted\]|\\(?![nrt"'\x60])|[^\s"'\x60\\,;&|<>(){}[\]]`,
  wide: String.raw`\\(?![nrt"'\x60])|[^\s"'\x60\\]`,
  line: String.raw`\\(?![nrt"'\x60])|[^\r\n\\"'\x60]`
} as const
const beginningOf = {
  narrow: new RegExp(`(?:${spreads.narrow}){1,${mostJudged}}`, "y"),
  wide: new RegExp(`(?:${spreads.wide}){1,${mostJudged}}`, "y"),
  line: new RegExp(`(?:${spreads.line}){1,${mostJudged}}`, "y")
} as const
const lineStart =
  /(?:^|[\r\n]|\\[nr])[\s+>|*#-]*(?:\d{1,6}[:→|\t][ \t]*)?(?:- +)?((?:export|set|ENV|ARG|-e|--env)[ \t]+)?$/

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The content of quotes that open at `at`. Where they are not closed, it ends with the word. */
const contentAt = (text: string, at: number): Span | null => {
  const open = matchAt(opening, text, at)
  if (open === null) return null
  const [whole, escapes = "", quote = ""] = open
  const from = at + whole.length
  const across = quote.length === 3 || quote === "`"
  const limit = Math.min(text.length, from + mostQuoted)
  for (let i = from; i < limit; i++) {
    const character = text[i]
    if (!across && (character === "\n" || character === "\r")) break
    if (character === "\\") {
      let end = i
      while (text[end] === "\\") end++
      // As many escapes as in front of the opening quote belong to the closing one; more hold a quote of the content.
      if (text.startsWith(quote, end) && end - i <= escapes.length) return { from, to: i }
      i = Math.max(i, end - (text.startsWith(quote, end) ? 0 : 1))
    } else if (text.startsWith(quote, i)) return { from, to: i }
  }
  const word = matchAt(beginningOf.wide, text, from)
  return word === null ? null : { from, to: from + word[0].length }
}

/** Where a long value ends. In steps, since one repetition of a choice over millions of characters takes a stack. */
const endOfValue = (text: string, from: number, spread: keyof typeof beginningOf): number => {
  let end = from
  for (let found = matchAt(beginningOf[spread], text, end); found !== null;) {
    end += found[0].length
    found = matchAt(beginningOf[spread], text, end)
  }
  return end
}

/** A value without quotes, where it is a secret. */
const plainAt = (text: string, at: number, form: Form): Span | null => {
  const spread = form === "literal" ? "wide" : form === "entry" ? "line" : "narrow"
  const found = matchAt(beginningOf[spread], text, at)?.[0] ?? ""
  const value = found.replace(form === "entry" ? /(?:\s#.*)?[\s,;]*$/ : /(?:(?<!\[redacted)\]|[;,)}&|])+$/, "")
  const end = at + value.length
  if (!isSecretPlain(value, form, text.slice(end, end + 2))) return null
  return { from: at, to: found.length < mostJudged ? end : Math.max(end, endOfValue(text, at + found.length, spread)) }
}

const isLine = (text: string, from: number): boolean =>
  lineStart.test(`\n${text.slice(Math.max(0, from - 40), from)}`.slice(from > 40 ? 1 : 0))

const formOf = (text: string, name: string, from: number, sign: string): Form => {
  const line = isLine(text, from)
  if (sign === "=") return /^[A-Z][A-Z0-9_]*$/.test(name) && line ? "literal" : "tight"
  return /^:[ \t]/.test(sign) && line ? "entry" : "loose"
}

/** The block of lines that a `|` or `>` announces: all that are indented. */
const blockAt = (text: string, at: number): Span | null => {
  const head = matchAt(/[|>][+-]?\d?[ \t]{0,20}\r?\n(?=[ \t]{1,80}\S)/y, text, at)?.[0]
  if (head === undefined) return null
  const from = at + head.length
  const body = matchAt(/(?:[ \t]{1,80}[^\n]{0,2000}(?:\n|$)){1,20}/y, text, from)?.[0] ?? ""
  const indent = /^[ \t]+/.exec(body)?.[0].length ?? 0
  return { from: from + indent, to: from + body.trimEnd().length }
}

/** The secret of a header: what follows the scheme, if there is one. */
const authorizationAt = (text: string, at: number): Span | null => {
  const quoted = contentAt(text, at)
  const from = quoted?.from ?? at
  const kind = matchAt(scheme, text, from)?.[0] ?? ""
  const start = from + kind.length
  const long = /^(?:digest|oauth|hawk|aws4)/i.test(kind)
  if (quoted === null) return plainAt(text, start, kind === "" ? "loose" : long ? "entry" : "literal")
  return isSecretContent(text.slice(start, quoted.to)) ? { from: start, to: quoted.to } : null
}

/** The secret behind a name that ends at `at`; null where there is none. */
const valueBehind = (text: string, name: string, from: number, at: number): Span | null => {
  if (text[from - 1] === "<" && text[at] === ">") {
    const end = text.indexOf("<", at)
    const span = { from: at + 1, to: end < 0 || end > at + mostQuoted ? at + 1 : end }
    return isSecretContent(text.slice(span.from, span.to)) ? span : null
  }
  const sign = matchAt(separator, text, at)
  const option = name.startsWith("--") && sign === null ? matchAt(/[ \t]{1,20}/y, text, at) : null
  const [whole, kind = " "] = sign ?? option ?? [""]
  if (whole === "") return null
  let start = at + whole.length
  start += matchAt(broken, text, start)?.[0].length ?? 0
  if (/authorization$/i.test(name)) return authorizationAt(text, start)
  start += kind === ":" ? matchAt(typed, text, start)?.[0].length ?? 0 : 0
  const quoted = contentAt(text, start)
  if (quoted !== null) return isSecretContent(text.slice(quoted.from, quoted.to)) ? quoted : null
  if (kind === "=>" || kind === ":=") return null
  const block = blockAt(text, start)
  if (block !== null) return block
  const spaced = kind === "=" && /[ \t]/.test(whole)
  const form = option !== null || (name.startsWith("--") && kind === "=")
    ? "literal"
    : spaced
    ? "loose"
    : formOf(text, name, from, kind === "=" ? "=" : whole.slice(whole.indexOf(":")))
  return plainAt(text, start, form)
}

/** The text without the values that stand behind names of secrets. */
export const withoutNamedValues = (text: string): string => {
  const kept: Array<string> = []
  const word = secretWord()
  let done = 0
  for (let found = word.exec(text); found !== null; found = word.exec(text)) {
    let from = found.index
    let to = word.lastIndex
    while (found.index - from <= mostName && isNameAt(text, from - 1)) from--
    while (to - word.lastIndex <= mostName && isNameAt(text, to)) to++
    if (found.index - from > mostName || to - word.lastIndex > mostName) {
      // No name is as long, so nothing in this run is one.
      while (isNameAt(text, to)) to++
      word.lastIndex = to
      continue
    }
    // The letter of an escape, as in `\\npassword`, is no letter of the name.
    if (text[from - 1] === "\\" && /^[nrt]/.test(text.slice(from, found.index))) from++
    const span = isSecretName(text.slice(from, to), found[0], text.slice(word.lastIndex, to))
      ? valueBehind(text, text.slice(from, to), from, to)
      : null
    if (span !== null && span.from >= done) {
      kept.push(text.slice(done, span.from), marker)
      done = span.to
      word.lastIndex = Math.max(span.to, to)
    }
  }
  kept.push(text.slice(done))
  return kept.join("")
}
