// NamedValues: finds values after names of secrets, in code, JSON, YAML, XML, INI, shell or env.
import {
  type Form,
  isLikePassword,
  isReference,
  isSecretContent,
  isSecretName,
  isSecretPlain,
  secretWord
} from "./NamedSecrets.ts"
import { isNameAt, marker, matchAt, type Span } from "./Patterns.ts"

// Each value is checked once for each name before it, within limits, so the time grows only with the text.

const mostName = 64
const mostQuoted = 10_000
const mostJoined = 50

// Values in quotes

interface Quoted extends Span {
  /** The place after the closing quote; null if the quote is not closed. */
  readonly end: number | null
}

// Quotes with escapes are unwrapped first.
const opening = /[([]?[ \t]{0,20}[A-Za-z@$8]{0,2}("""|\x27\x27\x27|["'`])/y
const quote = String.raw`(?=[A-Za-z@$]{0,2}["'\x60])`
const sticky = (source: string): RegExp => new RegExp(source, "y")
/** What joins two quoted texts into one: an operator, a break, or nothing. */
const joint = sticky(
  String.raw`(?:[ \t]{0,20}(?:\+|\.{1,2}|&|\|\||~|\\)[ \t]{0,20}(?:\r?\n[ \t]{0,80})?|` +
    String.raw`[ \t]{0,20}\r?\n[ \t]{0,80}(?:(?:\+|\.{1,2}|&)[ \t]{0,20})?|)${quote}`
)
const jointOfCode = sticky(String.raw`[ \t]{1,20}${quote}`)
const jointOfList = sticky(String.raw`[ \t]{0,20},\s{0,80}${quote}`)

/** What quotes may hold before they close; only triple ones and backquotes go on behind the end of a line. */
const inQuotes = {
  '"': sticky(String.raw`(?:[^"\\\r\n]|\\[^]){0,${mostQuoted}}`),
  "'": sticky(String.raw`(?:[^'\\\r\n]|\\[^]){0,${mostQuoted}}`),
  "`": sticky(String.raw`(?:[^\x60\\]|\\[^]){0,${mostQuoted}}`),
  '"""': sticky(String.raw`(?:[^"\\]|\\[^]|"(?!"")){0,${mostQuoted}}`),
  "'''": sticky(String.raw`(?:[^'\\]|\\[^]|'(?!'')){0,${mostQuoted}}`)
} as const
const isOpen = (quotes: string): quotes is keyof typeof inQuotes => quotes in inQuotes

/** The content of quotes that open at `at`. If they are not closed, it ends with the word. */
const quotedAt = (text: string, at: number): Quoted | null => {
  const [whole, open] = matchAt(opening, text, at) ?? []
  if (whole === undefined || open === undefined || !isOpen(open)) return null
  const from = at + whole.length
  const to = from + (matchAt(inQuotes[open], text, from)?.[0].length ?? 0)
  if (text.startsWith(open, to)) return { from, to, end: to + open.length }
  const word = matchAt(beginningOf.wide, text, from)
  return word === null ? null : { from, to: from + word[0].length, end: null }
}

/** The content of quotes that open at `at`, with everything joined to it; null if no quote opens there. */
const partsAt = (text: string, at: number, isCode = false): ReadonlyArray<Quoted> | null => {
  const first = quotedAt(text, at)
  if (first === null) return null
  const joints = [joint, ...(isCode ? [jointOfCode] : []), ...(text[at] === "[" ? [jointOfList] : [])]
  const parts = [first]
  for (let end = first.end; end !== null && parts.length < mostJoined;) {
    const place: number = end
    const found = joints.map((one) => matchAt(one, text, place)).find((one) => one !== null)
    const part = found === undefined ? null : quotedAt(text, place + found[0].length)
    // Before `:` or `=` it is a key, and not part of the value.
    if (part === null || (part.end !== null && matchAt(/[ \t]{0,20}[:=]/y, text, part.end) !== null)) break
    parts.push(part)
    end = part.end
  }
  return parts
}

const contentOf = (text: string, { from, to }: Span): string => text.slice(from, to)

/** Whether the content of quotes looks like a password, if nothing else says that it is one. */
const isPassword = (content: string): boolean =>
  /^[!-~]*(?:\d[!-~]*|=)$/.test(content) && isSecretPlain(content, "loose", "")

/** The quoted secret after a pattern's match at `at`; null without quotes there. */
const quotedBehind = (
  text: string,
  at: number,
  pattern: RegExp,
  isSecret: (content: string) => boolean
): ReadonlyArray<Quoted> | null => {
  const found = matchAt(pattern, text, at)
  const quoted = found === null ? null : quotedAt(text, at + found[0].length)
  return quoted === null ? null : isSecret(contentOf(text, quoted)) ? [quoted] : []
}

// Values without quotes

// The beginning of a longer value is enough to classify it.
const mostJudged = 128
const spreads = {
  narrow: String.raw`\[redacted\]|\\(?![nrt"'\x60]|u00)|[^\s"'\x60\\,;&|<>(){}[\]\x1b]`,
  wide: String.raw`\\(?![nrt"'\x60]|u00)|[^\s"'\x60\\\x1b]`,
  line: String.raw`\\(?![nrt"'\x60]|u00)|[^\r\n\\"'\x60\x1b]`,
  word: String.raw`\\(?![nrt"\n]|u00)[^\s]|[^\s"'\x60\\;&|<>()\x1b]`
} as const
const beginningOf = {
  narrow: new RegExp(`(?:${spreads.narrow}){1,${mostJudged}}`, "y"),
  wide: new RegExp(`(?:${spreads.wide}){1,${mostJudged}}`, "y"),
  line: new RegExp(`(?:${spreads.line}){1,${mostJudged}}`, "y"),
  word: new RegExp(`(?:${spreads.word}){1,${mostJudged}}`, "y")
} as const

/**
 * The end of a long value. In steps, since one repetition of a choice over millions of characters needs a large stack.
 */
const endOfValue = (text: string, from: number, spread: keyof typeof beginningOf): number => {
  let end = from
  for (let found = matchAt(beginningOf[spread], text, end); found !== null;) {
    end += found[0].length
    found = matchAt(beginningOf[spread], text, end)
  }
  return end
}

/** The parts of a shell word: quoted and unquoted. */
export const wordAt = (text: string, at: number): ReadonlyArray<Span> => {
  const parts: Array<Span> = []
  for (let end: number | null = at; end !== null && parts.length < mostJoined;) {
    const place: number = end
    const quoted: Quoted | null = /["'`]/.test(text[place] ?? "") ? quotedAt(text, place) : null
    if (quoted?.end === null && parts.length > 0) break
    end = quoted === null ? endOfValue(text, place, "word") : quoted.end
    if (end === place) break
    parts.push(quoted ?? { from: place, to: end ?? place })
  }
  return parts
}

/** Whether a quote at a place opens, judging by the quotes before it on its line. */
const isOpening = (text: string, at: number): boolean => {
  const quote = text[at] ?? ""
  const line = text.slice(Math.max(text.lastIndexOf("\n", at - 1), at - 400), at)
  return /["']/.test(quote) && line.split(quote).length % 2 === 1
}

/** A value without quotes, if it is a secret. */
const plainAt = (text: string, at: number, form: Form): ReadonlyArray<Span> => {
  const spread = form === "literal" ? "wide" : form === "entry" ? "line" : "narrow"
  const found = matchAt(beginningOf[spread], text, at)?.[0] ?? ""
  const value = found.replace(form === "entry" ? /(?:\s#.*)?[\s,;]*$/ : /(?:(?<!\[redacted)\]|[;,)}&|])+$/, "")
  const end = at + value.length
  if (!isSecretPlain(value, form, text.slice(end, end + 2))) return []
  // In an object of code a name by itself is a variable.
  if (
    form === "entry" && /^[A-Za-z_$]+$/.test(value) && /[,{([]\s*\n[^\n]*$/.test(text.slice(Math.max(0, at - 200), at))
  ) {
    return []
  }
  const to = found.length < mostJudged ? end : Math.max(end, endOfValue(text, at + found.length, spread))
  return [{ from: at, to }, ...(form === "literal" && isOpening(text, to) ? wordAt(text, to) : [])]
}

const matchedAt = (pattern: RegExp, text: string, at: number): ReadonlyArray<Span> => {
  const found = matchAt(pattern, text, at)?.[0] ?? ""
  return found === "" || isReference(found) || found.includes(marker) ? [] : [{ from: at, to: at + found.length }]
}

// What follows a name

const separator =
  /["'`]?\]?\??(?:\[\w{0,10}\]|[ \t]{1,4}(?:As[ \t]{1,4}\w{1,20}|string(?=[ \t]{0,4}=)))?(?:[ \t]{0,20}(?:\|\||\?\?)?(:=|=>|->|<-|[=!]==?|=|:)(?![=:~])[ \t]{0,20})/y
// A value in quotes that may be no secret: it must look like one.
const weak = /["'`]?\]?(?:[ \t]{0,4}\([ \t]{0,20}|[ \t]{1,4}(?:is|was)[ \t]{1,4}(?:set to )?)(?=[A-Za-z@$]{0,2}["'`])/y
// A name as the first argument of a call, and a name that is itself a value: what follows is the named value.
const argument = /["'`][ \t]{0,20},[ \t]{0,20}(?=["'`])/y
const pair = new RegExp(
  String
    .raw`["'\x60]?(?:[ \t]{0,20}\{)?[ \t]{0,20},?\s{0,80}(?:["'\x60]?\w{1,30}["'\x60]?[ \t]{0,20}[:=][ \t]{0,20}["'\x60]?[\w ./-]{0,60}` +
    String
      .raw`["'\x60]?(?:,\s{0,80}|\s{1,80})){0,3}["'\x60]?\w{0,20}(?:value|content|default)["'\x60]?[ \t]{0,20}[:=][ \t]{0,20}`,
  "iy"
)
const pairBefore = new RegExp(
  String
    .raw`\b(?:value|content)["'\x60]?[ \t]{0,20}[:=][ \t]{0,20}(["'\x60]?)([^"'\x60\n]{1,200})\1,?\s{0,80}["'\x60]?` +
    String.raw`(?:name|key|id)["'\x60]?[ \t]{0,20}[:=][ \t]{0,20}["'\x60]?$`,
  "i"
)
const broken = /\r?\n[ \t]{0,80}(?=[A-Za-z@$]{0,2}["'`])/y
const typed = /!\w{1,20}[ \t]{1,4}(?=[^\s|>])|[A-Za-z_&]'?[\w.<>[\]|?, &]{0,80}?[ \t]*=[ \t]*(?=[A-Za-z@$]{0,2}["'`])/y
const wrapped =
  /(?:(?:(?:await|new)[ \t]|\[\])?[A-Za-z_$][\w.$:<>]{0,60}\([ \t]{0,20}|ConvertTo-SecureString[ \t](?:-String[ \t])?)(?=[A-Za-z@$]{0,2}["'`])/y
const inObject = /\{\s{0,80}["']?(?:value|default|plain\w{0,10})["']?[ \t]{0,20}[:=][ \t]{0,20}(?=["'`])/iy
const scheme =
  /(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|OAuth|Bot|Hawk|SSWS|GenieKey|SharedKey|Key|AWS4-HMAC-SHA256) {1,20}/iy
const lineStart =
  /(?:^|[\r\n])[\s+>|*#-]*(?:\d{1,6}[:→|\t][ \t]*)?(?:- +)?((?:export|set|ENV|ARG|-e|--env)[ \t]+)?(?:[\w-]{1,30}\.){0,5}$/
// Words before a name after which a blank is enough.
const setter = new RegExp(
  String
    .raw`(?:(?:^|[\n;&|({])[ \t]{0,20}(?:ENV|ARG|SetEnv|setenv|setx(?:[ \t]\/\w)?|set -\w*|(?:fastcgi|uwsgi|scgi)_param|#[ \t]?define|\((?:def|setq)\w{0,10})|` +
    String
      .raw`\b(?:config|configure|user-secrets|secrets?|variables?|vars?|env)(?:[ \t]{1,5}(?:set|add|put|create|update|-{1,2}[\w-]{1,20})){1,3}|` +
    String.raw`\b(?:git|poetry|composer|bundle)[ \t]config)[ \t]{1,20}["']?[\w./:@-]{0,60}$`
)

const ofEnvironment = /^[A-Z][A-Z0-9_]*$/

const isLine = (text: string, from: number): boolean =>
  lineStart.test(`\n${text.slice(Math.max(0, from - 80), from)}`.slice(from > 80 ? 1 : 0))

const mostLines = 40

/** Whether the line at `from` is in a section of an INI file: only keys with values are above it. */
const isIni = (text: string, from: number): boolean => {
  let end = text.lastIndexOf("\n", from - 1)
  for (let line = 0; line < mostLines && end > 0 && from - end < mostQuoted; line++) {
    const start = text.lastIndexOf("\n", end - 1)
    const words = text.slice(Math.max(start + 1, end - 500), end).replace(/^[+-]?\s*/, "")
    if (/^\[[\w .:"'/@*-]{1,80}\]\s*$/.test(words)) return true
    if (!/^(?:[#;].*|[\w.-]{1,80}[ \t]*[=:][^(){}"]*)?$/.test(words)) return false
    end = start
  }
  return false
}

const formOf = (text: string, name: string, from: number, sign: string): Form => {
  const line = isLine(text, from)
  const before = text.slice(Math.max(0, from - 120), from)
  if (/--set(?:-string|-json)?[ =]["']?\S{0,99}$/.test(before)) return "literal"
  if (sign === "=") return ofEnvironment.test(name) && line ? "literal" : "tight"
  return /(?:-H|--header)[ =]?["']$/.test(before) || (/^:[ \t]/.test(sign) && line) ? "entry" : "loose"
}

const block = /(?:[!&]\S{1,60}[ \t]{1,4}){0,2}[|>][+-]?\d?[+-]?[ \t]{0,20}(?:#[^\n]{0,200})?\r?\n/y

/** The block of lines that a `|` or `>` announces at `at`: all that are indented deeper than the name at `from`. */
const blockAt = (text: string, from: number, at: number): ReadonlyArray<Span> => {
  const head = matchAt(block, text, at)?.[0]
  if (head === undefined) return []
  const line = text.slice(text.lastIndexOf("\n", from - 1) + 1, from)
  const lead = /^[\s-]*(?=["']?$)/.exec(line)?.[0] ?? /(?<=["'`])[\s-]*$/.exec(line)?.[0]
  if (lead === undefined) return []
  let first: number | null = null
  let end = at + head.length
  for (let next = end; next < text.length;) {
    const breaks = text.indexOf("\n", next)
    const to = breaks < 0 ? text.length : breaks
    const indent = text.slice(next, Math.min(to, next + mostQuoted)).search(/\S/)
    if (indent >= 0) {
      if (indent <= lead.length) break
      first ??= next + indent
      end = text[to - 1] === "\r" ? to - 1 : to
    }
    next = to + 1
  }
  return first === null || !isSecretContent(text.slice(first, Math.min(end, first + mostQuoted)))
    ? []
    : [{ from: first, to: end }]
}

/** The secret of a header: what follows the scheme, if there is one. */
const authorizationAt = (text: string, from: number, at: number): ReadonlyArray<Span> => {
  const quoted = quotedAt(text, at)
  const begin = quoted?.from ?? at
  const kind = matchAt(scheme, text, begin)?.[0] ?? ""
  const start = begin + kind.length
  if (quoted !== null) return isSecretContent(text.slice(start, quoted.to)) ? [{ from: start, to: quoted.to }] : []
  const around = /["']/.exec(text[from - 1] ?? "")?.[0]
  if (!/^(?:digest|oauth|hawk|aws4)/i.test(kind)) {
    return plainAt(text, start, kind === "" && around === undefined ? "loose" : kind === "" ? "entry" : "literal")
  }
  // These hold quotes themselves.
  return matchedAt(around === "'" ? /[^'\r\n]{1,4000}/y : /(?:\\(?![nr])|[^\r\n\\]){1,4000}/y, text, start)
}

/** The secret of `define("NAME", "secret")` and of `name: NAME, value: secret`, in either order. */
const namedValues = (text: string, name: string, from: number, at: number): ReadonlyArray<Span> => {
  const before = text.slice(Math.max(0, from - 300), from)
  const call = /[([{,][ \t]{0,20}["'`](?:[\w-]{1,20}\.){0,3}$/.test(before) ? matchAt(argument, text, at) : null
  if (call !== null) {
    const quoted = quotedAt(text, at + call[0].length)
    if (quoted === null) return []
    const content = contentOf(text, quoted)
    const isNamed = text[from - 1] === "." || /[_-]|^[A-Z]/.test(name)
    const isSetter =
      /(?:define|set\w{0,20}|put\w{0,20}|(?:get\w{0,20}|env|fetch|environ\.\w{1,12}))[ \t]{0,5}\([ \t]{0,20}["'`][^"'`]{0,60}$/i
        .test(before)
    return isSecretContent(content) && (name.startsWith("--") || (isNamed && isSetter) || isPassword(content))
      ? [quoted]
      : []
  }
  const [, open = "", held = ""] = /["'`:=][ \t]{0,20}$/.test(before) ? pairBefore.exec(before) ?? [] : []
  if (held !== "") {
    const value = held.trimEnd()
    const start = from - before.length + before.lastIndexOf(held)
    const isSecret = open === "" ? isSecretPlain(value, "entry", "") : isSecretContent(value)
    return isSecret ? [{ from: start, to: start + value.length }] : []
  }
  const found = matchAt(pair, text, at)?.[0]
  if (found === undefined) return []
  const start = at + found.length
  const quoted = quotedAt(text, start)
  if (quoted === null) {
    const lines = blockAt(text, at + found.search(/\w{1,30}["'`]?[ \t]*[:=][ \t]*$/), start)
    return lines.length > 0
      ? lines
      : plainAt(text, start, found.includes("\n") ? "entry" : found.endsWith("=") ? "tight" : "loose")
  }
  return isSecretContent(contentOf(text, quoted)) ? [quoted] : []
}

const element = new RegExp(
  String.raw`(?:[ \t][^<>\n]{0,300})?>\s{0,80}(?:<!--[^<>\n]{0,200}-->\s{0,80})?(?:<!\[CDATA\[)?|` +
    String.raw`</\w{1,20}>\s{0,80}<\w{1,20}>|["'](?:[ \t][^<>\n]{0,100})?>(?:\s{0,80}<\w{1,20}>)?`,
  "y"
)

/** The content of the element that a name opens, or that has it as its name or key. */
const elementAt = (text: string, from: number, at: number): ReadonlyArray<Span> => {
  const before = text.slice(Math.max(0, from - 40), from)
  const opens = /<(?:[\w-]{1,30}:)?$/.test(before)
  const names = /<(?:key|name)>$|\b(?:name|key)=["'](?:[\w-]{1,20}\.){0,3}$/i.test(before)
  const head = opens || names ? matchAt(element, text, at)?.[0] : undefined
  if (head === undefined || (opens && !/^[\s>]/.test(head))) return []
  const start = at + head.length
  const end = text.indexOf("<", start)
  if (head.endsWith("[CDATA[")) return matchedAt(/(?:[^\]]|\](?!\]>)){1,2000}/y, text, start)
  const closing = opens ? text.slice(from - (/[\w-]*:$/.exec(before)?.[0].length ?? 0), at) : ""
  // A type such as `Promise<Token>` opens no element.
  if (end < 0 || end > start + mostQuoted || !text.startsWith(`</${closing}`, end)) return []
  const content = text.slice(start, end).trimEnd()
  return !content.includes("\n") && isSecretContent(content) ? [{ from: start, to: start + content.length }] : []
}

const fallback =
  /(?:\)[ \t]{0,20}\{|\|\||\?\?|\?:|\bor|\belse|\|[ \t]{0,5}default[ (]|default=|(?:unwrap_or|or_?else|get_?or_?(?:else|default))\w{0,8}\((?:\|_?\||\(\)[ \t]{0,5}[=-]>)?(?:[ \t]String::from\()?)[ \t]{0,20}$/i

const code = /[^\n"'`;,{}]{0,200}(?:[,{][ \t]{0,20})?(?=[A-Za-z@$]{0,2}["'`])/y

/** The default texts in code, if the expression at `at` has no value: `process.env.X || "secret"`. */
const fallbacksAt = (text: string, at: number, isSure: boolean): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let before = ""
  for (let end: number | null = at, i = 0; end !== null && i < 6; i++) {
    const found: string | undefined = matchAt(code, text, end)?.[0]
    const quoted: Quoted | null = found === undefined ? null : quotedAt(text, end + found.length)
    if (found === undefined || quoted === null) break
    const content = contentOf(text, quoted)
    // A further argument of the same call, and either branch of a choice.
    const isNext = /\([ \t]*$/.test(before) && /^\)?,[ \t]*$/.test(found)
    const isEnd = /[^?]\?[ \t]*$/.test(found) || (/[^?] \? /.test(before) && /^\)?[ \t]*:[ \t]*$/.test(found))
    const isChosen = fallback.test(found)
    if (isChosen && isSure ? isSecretContent(content) : (isChosen || isNext || isEnd) && isPassword(content)) {
      spans.push(quoted)
    }
    before += found
    end = quoted.end
  }
  return spans
}

/** The secret after a name without a sign between them. */
const behindBlank = (text: string, name: string, from: number, at: number): ReadonlyArray<Span> => {
  const found = [...elementAt(text, from, at), ...namedValues(text, name, from, at)]
  if (found.length > 0) return found
  const before = text.slice(Math.max(0, from - 120), from)
  const blank = matchAt(/(?!\.helper)(?:\.[\w.-]{1,40})?["']?[ \t]{1,20}/y, text, at)?.[0]
  if (blank !== undefined && setter.test(before)) {
    const parts = wordAt(text, at + blank.length)
    const value = parts[0] === undefined ? "" : contentOf(text, parts[0])
    return isSecretPlain(value, "literal", "") ? parts : []
  }
  if (blank !== undefined && (name.startsWith("--") || (name.startsWith("-") && /[ "'\t]$/.test(before)))) {
    const parts = partsAt(text, at + blank.length)
    if (parts === null) return plainAt(text, at + blank.length, "literal")
    return parts[0] !== undefined && isSecretContent(contentOf(text, parts[0])) ? parts : []
  }
  const isSetter = /passw|passphrase/i.test(name) &&
    (/\.$|\bnew[ \t]$/.test(before) || /^(?:set|with)[A-Z_]/.test(name))
  const loose = quotedBehind(
    text,
    at,
    weak,
    (content) => isPassword(content) || (isSetter && /^\S+$/.test(content) && isSecretContent(content))
  )
  if (loose !== null) return loose
  // `env.NAME || "secret"`, and `${NAME:-secret}`, which has a sign of its own.
  const closed = at + (matchAt(/["'`]?(?:,[ \t](?:nil|null|None|undefined)(?=\)))?/y, text, at)?.[0].length ?? 0)
  const next = matchAt(/[^\n"'`;,]{1,60}(?=[A-Za-z@$]{0,2}["'`])/y, text, closed)?.[0] ?? ""
  return /^[)\]]{0,3}\.?[ \t]{0,20}(?:\|\||\?\?|\?:|(?<=[)\]].{0,20})or\b|\{[ \t]*$|\|[ \t]*default|\w{2,20}\()/.test(
      next
    )
    ? fallbacksAt(text, closed, ofEnvironment.test(name) || /default/.test(next))
    : []
}

// Words and signs between a name and its secret in prose, tables and calls, and a word that looks like a password.
const glue = /[^\w\n\x1b\\%&]{0,12}(?:(?:is|was|to|as|be|set|eq|equals?|toBe|value)\b[^\w\n\x1b\\%&]{1,8}){0,3}/y
const likeWord = /[^\s"'`|<>(){}[\],;:\\/=.%&]{6,64}(?![\w/])/y

/** A word near a name that looks like a password: letters and digits alternate. */
const nearAt = (text: string, at: number): ReadonlyArray<Span> => {
  const between = matchAt(glue, text, at)?.[0] ?? ""
  const start = at + between.length
  const value = (matchAt(likeWord, text, start)?.[0] ?? "").replace(/[!?*]+$/, "")
  return isLikePassword(value, /[^\s,]/.test(between) ? 3 : 4) && !/^[([]/.test(text[start + value.length] ?? "")
    ? [{ from: start, to: start + value.length }]
    : []
}

const inBraces = /\$\{[\w.]{0,64}$/
const defaulted = /\$\{[\w.]{1,64}:?[-=:]([^}\s]{1,500})\}/y

/** The secrets after a name that ends at `at`. */
const valuesBehind = (text: string, name: string, from: number, at: number): ReadonlyArray<Span> => {
  // Short names mean many other things: the value must look like a password.
  if (/^(?:pass|pw)$/i.test(name)) return quotedBehind(text, at, separator, isPassword) ?? []
  if (inBraces.test(text.slice(Math.max(0, from - mostName), from))) {
    const sign = matchAt(/:?[-=]|:/y, text, at)?.[0]
    return sign === undefined ? [] : matchedAt(/[^}\n]{1,500}/y, text, at + sign.length)
  }
  const sign = matchAt(separator, text, at)
  if (sign === null) return behindBlank(text, name, from, at)
  const [whole, kind = " "] = sign
  let start = at + whole.length
  start += kind === "=>" ? 0 : matchAt(broken, text, start)?.[0].length ?? 0
  if (/authorization$/i.test(name)) return authorizationAt(text, from, start)
  start += kind === ":" ? matchAt(typed, text, start)?.[0].length ?? 0 : 0
  const spaced = kind === "=" && /[ \t]/.test(whole)
  // A text that ends in a name and a sign, as in `"password:"`.
  if (text[from - 1] === text[start] && /^\s*[:=]\s*$/.test(whole) && /["'`]/.test(text[start] ?? "")) return []
  const parts = partsAt(text, start, spaced)
  if (parts !== null) {
    const content = parts[0] === undefined ? "" : contentOf(text, parts[0])
    if (!isSecretContent(content) || (/^[=!]=/.test(kind) && !isPassword(content))) return []
    const end = parts.at(-1)?.end ?? null
    const goesOn = kind === "=" && !spaced && end !== null && /[\w"']/.test(text[end] ?? "")
    return goesOn ? [...parts, ...wordAt(text, end)] : parts
  }
  if (!/^:?=$|^:$/.test(kind)) return []
  const held = quotedBehind(text, start, inObject, isSecretContent)
  if (held !== null) return held
  const others = [...quotedBehind(text, start, wrapped, isPassword) ?? [], ...fallbacksAt(text, start, true)]
  const [instead = "", standard = ""] = matchAt(defaulted, text, start) ?? []
  if (instead !== "") {
    const end = start + instead.length - 1
    return isReference(standard) || standard.includes(marker) ? [] : [{ from: end - standard.length, to: end }]
  }
  if (kind === ":=") return others
  // In a connection string a value ends at the next semicolon, whatever it holds.
  const isConnection = /=[^;&"'\n]{0,200};$/.test(text.slice(Math.max(0, from - 200), from)) ||
    matchAt(/[^;"'\r\n]{1,200};[ \t]{0,4}[A-Z][\w ]{0,30}=/y, text, start) !== null
  if (kind === "=" && isConnection) return matchedAt(/[^;"'\r\n]{1,500}/y, text, start)
  const lines = kind === ":" ? blockAt(text, from, start) : []
  if (lines.length > 0) return lines
  const below = kind === ":" && isLine(text, from)
    ? matchAt(/\r?\n[ \t]{1,80}(?=[^\s:]{6,100}[ \t]*(?:[\r\n]|$))/y, text, start)?.[0]
    : undefined
  if (below !== undefined) return plainAt(text, start + below.length, "loose")
  const form = name.startsWith("--") && kind === "="
    ? "literal"
    : spaced || (whole === ":" && isLine(text, from))
    ? isLine(text, from) && (/^[a-z]+(?:-[a-z]+)+$/.test(name) || isIni(text, from)) ? "entry" : "loose"
    : formOf(text, name, from, kind === "=" ? "=" : whole.slice(whole.indexOf(":")))
  return [...others, ...plainAt(text, start, form)]
}

/** The places of values that follow names of secrets. */
export const valuesOfNames = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  const word = secretWord()
  for (let found = word.exec(text); found !== null; found = word.exec(text)) {
    let from = found.index
    let to = word.lastIndex
    while (found.index - from <= mostName && isNameAt(text, from - 1)) from--
    while (to - word.lastIndex <= mostName && isNameAt(text, to)) to++
    if (found.index - from > mostName || to - word.lastIndex > mostName) {
      // No name is this long, so nothing in this run is a name.
      while (isNameAt(text, to)) to++
      word.lastIndex = to
      continue
    }
    const name = text.slice(from, to)
    const isSecret = isSecretName(name, found[0], text.slice(word.lastIndex, to)) || text.slice(from - 1, to) === ";PWD"
    const sure = isSecret ? valuesBehind(text, name, from, to) : []
    const values = isSecret && sure.length === 0 && !/authorization$/i.test(name) ? nearAt(text, to) : sure
    spans.push(...values)
    for (const value of values) word.lastIndex = Math.max(value.to, to, word.lastIndex)
  }
  return spans
}
