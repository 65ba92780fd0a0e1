// NamedSecrets: removes values that follow the name of a secret, in code, JSON, YAML, shell or env.
import { isNameAt, marker } from "./Patterns.ts"

const keys = "api|access|private|secret|account|signing|encryption|auth|master|shared|storage|subscription"

const word =
  `passw(?:or)?d|passphrase|passcode|(?<=_)(?:pass|pw)(?![a-z])|(?<![a-z0-9_-])(?:pass|pw)(?![a-z0-9_-])|pwd|secret|token|credential|authorization|` +
  // npm's name for a user with a password.
  `(?<![a-z0-9])_auth(?![a-z0-9])|(?:${keys})[-_]?key`

/** The words by which a name is the name of a secret, anywhere in a text. */
export const secretWord = (): RegExp => new RegExp(word, "gi")

const kinds = "(?:access|refresh|id|auth|api|bearer|csrf|session|client)?"
const alone = new RegExp(`^(?:x[-_])?${kinds}[-_]?(?:passw(?:or)?d|secret|token|credentials?|api[-_]?key|key)$`, "i")

/** Whether a value is such a word by itself: it names a secret and is not one. */
export const isSecretWord = (value: string): boolean => alone.test(value)

const about = new Set(
  ("count counts type types name names field fields length len limit limits size expiry expires expire expiration " +
    "ttl url uri endpoint path file filename dir id ids header headers hint policy regex pattern validator label " +
    "placeholder prompt param params env var usage budget cost index idx position pos stream kind class store " +
    "manager provider service helper factory handler error errors required enabled visible valid min max strength " +
    "rules schema input form page reset change changed at set exists present ref arn version source format prefix " +
    "suffix algorithm alg issuer audience scope scopes request response list map cache bucket rate per window")
    .split(" ")
)
const amounts = new Set(["max", "min", "num", "total", "n", "count", "is", "has", "no", "show", "hide", "forgot"])
// The working directory of a shell.
const others = new Set(["PWD", "OLDPWD"])

const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/** Whether a name is the name of a secret: `word` is the secret word in it, and `after` what follows in it. */
export const isSecretName = (name: string, word: string, after: string): boolean => {
  if (others.has(name)) return false
  // A longer word is another one: `tokenizer`, `secretary`, `TOKENS`.
  const longer = /^[a-z]/.test(after) || (/^[A-Z]/.test(after) && word === word.toUpperCase())
  if (longer && !/^(?:key|s$)/i.test(after)) return false
  if (/^s$/i.test(after) && !/^credential$/i.test(word)) return false
  const [head = ""] = wordsOf(name)
  return !amounts.has(head) && !wordsOf(after).some((one) => about.has(one))
}

// Whether a value behind the name of a secret is a secret, or a type, a reference or code

const simple =
  "string|str|text|number|int|integer|float|boolean|bool|object|any|unknown|never|void|bytes?|char|array|optional|" +
  "required|null|nil|none|undefined|true|false|yes|no|on|off|empty|redacted|hidden|uuid"
const simpleTypes = new RegExp(
  String.raw`^[&*]?(?:${simple})\b(?![-.@!#$%^])(?:\s*[|&<>[\],?!=;(){}].*|\s*)$`,
  "i"
)
const endings =
  "String|Str|Text|Token|Secret|Password|Passphrase|Key|Type|Buffer|Bytes|Redacted|Credentials?|Option|Optional|" +
  "Maybe|Schema|Config|Vec|Box|Arc|Rc|Array|List|Record|Map|Promise|Effect|Any|Value|Literal|Struct|Class"
const ofTypes = String.raw`^[A-Z][A-Za-z]*(?:[<[|?]|\.[A-Z])`
const namedTypes = new RegExp(String.raw`^[A-Z][A-Za-z]*?(?:${endings})\b|${ofTypes}`)

/** Whether a value is the name of a type, or a value that is never a secret. */
export const isType = (value: string): boolean => simpleTypes.test(value) || namedTypes.test(value)

/** Whether a value only says where the secret is, or hides it already. */
export const isReference = (value: string): boolean =>
  /^(?:\$[A-Za-z_]\w*|\$\{[^}]*\}?|\$\(.*|\$?\{\{.*|<[^<>]*>?|%\w+%|%[sdv]|\{\w*\}|\*+|x{3,}|•+|\.{2,}|…|-+|_+)$/is
    .test(value)

const withoutReferences = (value: string): string => value.replace(/\$?\{[^{}]{0,200}\}|\$[A-Za-z_]\w{0,99}/g, "")

const subject = /passw|token|secret|key|credential|required|invalid|enter/i
const label = new RegExp(
  String
    .raw`\b(?:enter|your|required|invalid|must|is|are|was|the|an?|new|old|confirm|forgot|reset|current|missing|wrong|` +
    String.raw`incorrect|please|least|use|used|for|of|cannot|not|no|type|repeat|show|hide|change|expired?|string)\b`,
  "i"
)

/** Whether the content of quotes is a secret. */
export const isSecretContent = (content: string): boolean => {
  const value = content.trim()
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(value) || value.includes(marker) || isReference(value) || isSecretWord(value)) {
    return false
  }
  if (/^(?:https?:\/\/|\.{0,2}\/[\w.-]+\/)/.test(value)) return false
  // A label or a message: `Enter your password`.
  if (/\s/.test(value) && subject.test(value) && label.test(value)) return false
  return /[\p{L}\p{N}]|[^\s]{4}/u.test(withoutReferences(value)) &&
    !/^(?:string|number|boolean|null|true|false|undefined)$/.test(value)
}

const dotted = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/
const called = /^[A-Za-z_$][\w$.?]*(?:\(|\[)/
const identifier = /^[A-Za-z_$][A-Za-z_$]*$/
const algorithm =
  /^(?:sha-?\d+|utf-?\d+|base64(?:url)?|md5|oauth2?|[hre]s\d{3}|uuid_?v?\d*|v\d{1,2}(?:(?:alpha|beta)\d?)?)$/i
const words =
  /^(?:is|are|was|and|or|to|for|the|an?|in|from|with|must|not|option|flag|value|when|if|can|cannot|may|will)$/i

const isCode = (value: string, next: string): boolean =>
  called.test(value + next) || (dotted.test(value) && !/\d/.test(value)) ||
  /^(?:await|new|function|async|lambda)$/.test(value)

/** How a value follows its name: the surer the form, the less is asked of the value. */
export type Form =
  /** `NAME=value` of an environment, or a value behind an option of a command. */
  | "literal"
  /** `name: value` on a line of its own. */
  | "entry"
  /** `name=value` without a space, as in a query or in arguments by name. */
  | "tight"
  /** Any other. */
  | "loose"

/** Whether a value without quotes is a secret; `next` is the character behind it. */
export const isSecretPlain = (value: string, form: Form, next: string): boolean => {
  // The cheapest question comes first: a hostile text has it asked a million times.
  if (form === "loose" && (value.length < 6 || !/[\d!@#%^~]/.test(value))) return false
  if (value === "" || value.includes(marker) || isReference(value) || isSecretWord(value) || isType(value)) return false
  if (/^(?:https?:\/\/|\.{0,2}\/[\w.-]+\/)/.test(value)) return false
  if (value === "$" && /^[{(]/.test(next)) return false
  if (form === "literal") return next !== "(" && !words.test(value) && !/^-/.test(value)
  if (isCode(value, next) || algorithm.test(value) || /^\d{0,3}$/.test(value)) return false
  const name = identifier.test(value)
  if (name && (/passw|token|secret|key|cred/i.test(value) || /^[,;)\]}.(]/.test(next))) return false
  if (form === "entry" || form === "tight") {
    return !/^[*&!|>[{]/.test(value) && !/^[A-Za-z_]*(?:token|secret|password|key)\d?$/i.test(value)
  }
  return !/^[\d_.]+$/.test(value) && !/^[A-Za-z_]*(?:token|secret|password|key)\d?$/i.test(value)
}

// Each value is looked at once for each name before it, within bounds, so the time grows with the text alone

interface Span {
  readonly from: number
  readonly to: number
}

const mostName = 64
const mostQuoted = 10_000

const separator = /(?:\\{0,7}["'`])?\]?\??(?:[ \t]{0,20}(:=|=>|=|:)(?![=:~])[ \t]{0,20})/y
// A name as the first argument of a call, and a name that is itself a value: what follows is the value that it names.
const argument = /["'`][ \t]{0,20},[ \t]{0,20}(?=["'`])/y
const pair = /["'`]?[ \t]{0,20},?\s{0,80}["'`]?(?:value|content)["'`]?[ \t]{0,20}[:=][ \t]{0,20}/iy
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

const matchedAt = (pattern: RegExp, text: string, at: number): Span | null => {
  const found = matchAt(pattern, text, at)?.[0] ?? ""
  return found === "" || isReference(found) || found.includes(marker) ? null : { from: at, to: at + found.length }
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

/** The secret of `define("NAME", "secret")` and of `name: NAME, value: secret`; null if missing. */
const namedValueAt = (text: string, name: string, from: number, at: number): Span | null => {
  const before = text.slice(Math.max(0, from - 80), from)
  const isArgument = (text[from - 1] === "." || /[_-]|^[A-Z]/.test(name)) &&
    /\([ \t]{0,20}["'`](?:[\w-]{1,20}\.){0,3}$/.test(before)
  const call = isArgument ? matchAt(argument, text, at) : null
  const [found] = call ?? matchAt(pair, text, at) ?? []
  if (found === undefined) return null
  const quoted = contentAt(text, at + found.length)
  if (quoted === null) return plainAt(text, at + found.length, "loose")
  const content = text.slice(quoted.from, quoted.to)
  const isSetter = call === null ||
    /(?:define|set\w{0,20}|putenv)[ \t]{0,5}\([ \t]{0,20}["'`][^"'`]{0,60}$/i.test(before)
  return isSecretContent(content) && (isSetter || isSecretPlain(content, "loose", "")) ? quoted : null
}

/** The quoted secret behind `pass` or `pw`, which mean much else: it has to look like a password. */
const behindShortName = (text: string, at: number): Span | null => {
  const sign = matchAt(separator, text, at)
  const quoted = sign === null ? null : contentAt(text, at + sign[0].length)
  const content = quoted === null ? "" : text.slice(quoted.from, quoted.to)
  return /^[!-~]+$/.test(content) && isSecretPlain(content, "loose", "") ? quoted : null
}

/** The secret behind a name that ends at `at`; null if missing. */
const valueBehind = (text: string, name: string, from: number, at: number): Span | null => {
  if (/^(?:pass|pw)$/i.test(name)) return behindShortName(text, at)
  if (text[from - 1] === "<" && text[at] === ">") {
    // A type such as `Promise<Token>` opens no element.
    const end = text.indexOf("<", at)
    if (end > at + mostQuoted || !text.startsWith(`</${name}`, end)) return null
    const content = text.slice(at + 1, end)
    return !content.includes("\n") && isSecretContent(content) ? { from: at + 1, to: end } : null
  }
  const sign = matchAt(separator, text, at)
  if (sign === null) {
    const named = namedValueAt(text, name, from, at)
    if (named !== null) return named
  }
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
  // In a connection string a value ends at the next semicolon, whatever is in it.
  if (kind === "=" && text[from - 1] === ";") return matchedAt(/[^;"'\r\n]{1,500}/y, text, start)
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

/** The text without the values that follow names of secrets. */
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

// Secrets that are put together from several quoted texts

// Each repetition is bounded, so that the time grows with the text alone.
const joint = String.raw`[ \t]{0,20}(?:[+.\\][ \t]{0,20}(?:\r?\n[ \t]{0,80})?|\r?\n[ \t]{0,80}(?:[+.][ \t]{0,20})?)`
// A quoted text with the letters of its prefix. Before `:` or `=` it is a key, and no part of the value.
const part = String.raw`[A-Za-z@$]{0,2}(?:"[^"\n]{1,1000}"|'[^'\n]{1,1000}')(?![ \t]{0,20}[:=])`
const chain = new RegExp(String.raw`(?<=\[redacted\]["'])(?:${joint}${part}){1,50}`, "g")
const quoted = /(["'])[^\n]{1,1000}?\1/g

/** The text without the parts that are joined to a value that has been taken out. */
export const withoutJoinedValues = (text: string): string =>
  text.replace(chain, (found) => found.replace(quoted, `$1${marker}$1`))
