// KnownSecrets: removes secrets that are known by their form: service tokens, credentials in addresses, private keys.
import { type Form, isReference, isSecretPlain } from "./NamedSecrets.ts"
import { marker, replaceRuns } from "./Patterns.ts"

// Not in the midst of a word. An escape in front of a token ends in a letter or a digit, too.
const starts = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u00[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,9}m))`

// Nothing follows a repetition in any of these, and each is bounded: all are found in one walk over the text.
const tokens: ReadonlyArray<string> = [
  // OpenAI, Anthropic, OpenRouter
  String.raw`sk-(?:proj|svcacct|admin|ant|or|live|test)-[A-Za-z0-9_-]{16,400}`,
  String.raw`sk-[A-Za-z0-9]{20,400}[A-Za-z0-9_-]{0,400}`,
  // GitHub
  String.raw`gh[pousr]_[A-Za-z0-9]{20,400}`,
  String.raw`github_pat_[A-Za-z0-9_]{20,400}`,
  // GitLab
  String.raw`gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent|oas|ptr)-[A-Za-z0-9_-]{16,400}(?:\.[A-Za-z0-9_-]{1,400}){0,3}`,
  // AWS
  String.raw`A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  // Google
  String.raw`AIza[A-Za-z0-9_-]{30,400}`,
  String.raw`ya29\.[A-Za-z0-9_-]{20,400}`,
  String.raw`GOCSPX-[A-Za-z0-9_-]{20,400}`,
  String.raw`1//0[A-Za-z0-9_-]{30,400}`,
  // Slack
  String.raw`xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,400}`,
  String.raw`xapp-\d-[A-Za-z0-9-]{10,400}`,
  // Stripe
  String.raw`[rs]k_(?:live|test)_[A-Za-z0-9]{10,400}`,
  String.raw`whsec_[A-Za-z0-9+/=]{20,400}`,
  // npm, PyPI, Hugging Face, SendGrid, DigitalOcean, Vault, Databricks
  String.raw`npm_[A-Za-z0-9]{30,400}`,
  String.raw`pypi-[A-Za-z0-9_-]{50,400}`,
  String.raw`hf_[A-Za-z0-9]{30,400}`,
  String.raw`SG\.[A-Za-z0-9_-]{16,400}\.[A-Za-z0-9_-]{16,400}`,
  String.raw`do[opr]_v1_[a-f0-9]{40,400}`,
  String.raw`hv[sb]\.[A-Za-z0-9_-]{20,400}`,
  String.raw`dapi[a-f0-9]{32}`
]

const known = new RegExp(`${starts}(?:${tokens.join("|")})`, "g")
const slackHook = /(hooks\.slack\.com\/services\/)[A-Za-z0-9/_-]{20,400}/g
const webToken = /eyJ[A-Za-z0-9_-]{6,8000}(?:\.[A-Za-z0-9_-]{0,8000}){0,4}/g

/** The text without tokens that are known by how they begin. */
export const withoutServiceTokens = (text: string): string => {
  const safe = replaceRuns(text, known, () => marker).replace(slackHook, `$1${marker}`)
  // A first part alone is any JSON object in base64; the second one is what makes it a token.
  return replaceRuns(safe, webToken, (found) => (found.split(".", 2)[1] ?? "").length >= 10 ? marker : found)
}

// Credentials in addresses, bearer headers, and logins of netrc and curl

// No repetition here reaches over a slash, and each needs one before it: one walk over the text.
const password = /(?<=:\/\/)([^\s/?#@:"'<>`\\]{0,256}):([^\s/"'<>`\\]{1,1000})@/g
const bare = /(?<=:\/\/)([^\s/?#@:"'<>`\\]{20,256})@/g
const bearer = /\b(?:Bearer|Basic) {1,20}[A-Za-z0-9._~+/=-]{16,1000}/gi
const login = /\b(login\s{1,20}\S{1,100}\s{1,20}password\s{1,20})(\S{1,256})/g

const option = /([ \t](?:-u|--user)[ =]["']?[^\s:"'@/]{1,64}:)([^\s"'`\\]{6,256})/g

const withoutToken = (found: string): string => {
  const token = found.slice(found.lastIndexOf(" ") + 1)
  return /\d/.test(token) || token.length >= 32 ? `${found.slice(0, -token.length)}${marker}` : found
}

const without = (form: Form) => (found: string, before: string, secret: string): string =>
  isSecretPlain(secret, form, "") ? `${before}${marker}` : found

/** The text without passwords in addresses and behind logins of netrc and curl, and without bearer tokens. */
export const withoutCredentials = (text: string): string => {
  const safe = text
    .replace(
      password,
      (found, user: string, secret: string) => isReference(secret) || secret === marker ? found : `${user}:${marker}@`
    )
    .replace(bare, (found, user: string) => /\d/.test(user) && /^[\w.~%-]+$/.test(user) ? `${marker}@` : found)
  return replaceRuns(safe, bearer, withoutToken)
    .replace(login, without("literal"))
    .replace(option, without("loose"))
}

// Private keys in PEM and PGP, also partial ones. The lines that begin and end a key stay, to show what it was.

const edge = /-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
// A text that begins in the midst of a line that begins a key.
const cutEdge = /^(?!-----BEGIN)[A-Z0-9 -]{0,50}-----(?=\s|\\)/

// What separates the lines of a key: breaks, also escaped ones, quotes and signs around them, numbers of lines.
const between = /(?:\\+[rnt]|[^A-Za-z0-9\\]|\\+(?=["'`])){0,80}(?:\d{1,6}[\t:|→] ?)?/y
const header = /[A-Z][A-Za-z-]{2,30}: [^\n\\]{0,200}/y
const row = /[A-Za-z0-9+/=]{16,4000}/y
const lastRow = /[A-Za-z0-9+/=]{1,80}(?=\s{0,80}(?:\\+[rn]|[\r\n"'`]|$|-----))/y
const longRow = /[A-Za-z0-9+/=]{40}/
const mostBack = 20_000
const mostBetween = 200_000

/** How much of a text's end is only a break and the beginning of another line. */
const trailing = (text: string): number => /(?:[\s"'`,+>|*#-]|\\+[rn])*$/.exec(text)?.[0].length ?? 0

const past = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** Where the rows of a key end that begin at `from`; null if missing. */
const endOfRows = (text: string, from: number): number | null => {
  let end: number | null = null
  for (let at = past(between, text, from);;) {
    const next = past(row, text, at)
    if (next > at) end = next
    const after = next > at ? next : past(header, text, at)
    if (after === at) {
      const last = past(lastRow, text, at)
      return end !== null && last > at ? last : end
    }
    at = past(between, text, after)
  }
}

/** Where the breaks before `to` begin, also escaped ones. */
const beforeBreaks = (text: string, from: number, to: number): number => {
  let end = to
  while (end > from) {
    if (/\s/.test(text[end - 1] ?? "")) end--
    else if (/^\\[rn]$/.test(text.slice(end - 2, end))) end -= 2
    else if (text[end - 1] === "\\") end--
    else break
  }
  return end
}

/** Where the rows of a key begin that end at `to`; null if missing. */
const beginOfRows = (text: string, from: number, to: number): number | null => {
  const start = Math.max(from, to - mostBack)
  const rows = [...text.slice(start, to).matchAll(/(?:[^\n\\]|\\+(?![\\rn]))+/g)]
  let begin: number | null = null
  let whole = false
  for (const { 0: line, index } of rows.reverse()) {
    if (line.includes(marker)) break
    const body = line.replace(/^[^A-Za-z0-9/]{0,20}(?:\d{1,6}[\t:|→] ?)?/, "").replace(/[^A-Za-z0-9+/=]{1,40}$/, "")
    // An escape that ends a row leaves its letter to the next one.
    const bare = body.replace(/^[rn](?=[A-Za-z0-9+/=]{16})/, "")
    if (bare !== "" && (!/^[A-Za-z0-9+/=]+$/.test(bare) || (bare.length < 16 && begin !== null && index > 0))) break
    if (bare !== "") begin = start + index + line.indexOf(body)
    whole ||= bare.length >= 16
  }
  return whole ? begin : null
}

/** The text without the bodies of private keys. */
export const withoutPrivateKeys = (text: string): string => {
  const cut = cutEdge.exec(text)?.[0]
  const edges = [...text.matchAll(edge)].map(({ 0: line, 1: kind, index }) => ({
    begins: kind === "BEGIN",
    from: index,
    to: index + line.length
  }))
  if (cut !== undefined && edges[0]?.from !== 0) edges.unshift({ begins: true, from: 0, to: cut.length })
  const kept: Array<string> = []
  let done = 0
  const replace = (from: number, to: number): void => {
    kept.push(text.slice(done, from), marker)
    done = to
  }
  for (const [i, { begins, from, to }] of edges.entries()) {
    const next = edges[i + 1]
    if (!begins) {
      const begin = edges[i - 1]?.begins === true
        ? null
        : beginOfRows(text, Math.max(done, edges[i - 1]?.to ?? 0), from)
      if (begin === null) continue
      // The body ends with its last row, so that the break before the closing line stays.
      replace(begin, beforeBreaks(text, begin, from))
      continue
    }
    const first = past(between, text, to)
    const end = endOfRows(text, to)
    const limit = next?.from ?? text.length
    // Anything else in a key: where a long row is left, all of it goes.
    const left = next !== undefined && !next.begins ? text.slice(end ?? to, limit) : ""
    if (left.length <= mostBetween && longRow.test(left)) {
      replace(first, limit - trailing(text.slice(Math.max(first, limit - 80), limit)))
    } else if (end !== null) replace(first, Math.min(end, limit))
  }
  kept.push(text.slice(done))
  return kept.join("")
}
