// KnownSecrets: removes secrets that are known by their form: service tokens, credentials in addresses, private keys.
import { isReference } from "./NamedSecrets.ts"
import { marker, type Span, spansOf } from "./Patterns.ts"

// Not in the midst of a word; the letter of an escape is none.
const starts = String.raw`(?<![A-Za-z0-9]|\\(?=[nrt]))`

// Nothing follows a repetition in any of these, and each is bounded: all are found in one walk over the text.
const tokens: ReadonlyArray<string> = [
  // OpenAI, Anthropic, OpenRouter
  String.raw`sk-(?:proj|svcacct|admin|ant|or|live|test)-[A-Za-z0-9_-]{16,400}`,
  String.raw`sk-[A-Za-z0-9]{20,400}[A-Za-z0-9_-]{0,400}`,
  // GitHub
  String.raw`gh[pousr]_[A-Za-z0-9]{20,400}`,
  String.raw`github_pat_[A-Za-z0-9_]{20,400}`,
  // GitLab
  String
    .raw`gl(?:pat|ptt|dt|rt|cbt|ft|ffct|soat|imt|agent|oas|ptr)-[A-Za-z0-9_-]{16,400}(?:\.[A-Za-z0-9_-]{1,400}){0,3}`,
  String.raw`GR1348941[A-Za-z0-9_-]{16,400}`,
  // AWS
  String.raw`(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/=]{40,400}`,
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
  String.raw`dapi[a-f0-9]{32}`,
  // Atlassian, Doppler, Fly, Terraform, Airtable, Square, Alibaba, JFrog, age, docker's own file
  String.raw`AT[A-Z]{3}3x[A-Za-z0-9_=-]{20,400}`,
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,40}\.)?[A-Za-z0-9]{20,400}`,
  String.raw`fm[12][ar]?_[A-Za-z0-9+/=_-]{20,400}`,
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{30,400}`,
  String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{32,400}`,
  String.raw`sq0[a-z]{3}-[A-Za-z0-9_-]{20,400}`,
  // Facebook's begin as Square's do.
  String.raw`(?<![/+])EAA[A-Z](?![A-Za-z0-9_-]{0,200}AAAA)[A-Za-z0-9_-]{40,400}`,
  String.raw`r8_[A-Za-z0-9]{30,60}`,
  String.raw`LTAI[A-Za-z0-9]{12,40}`,
  String.raw`(?:AKCp|cmVmd)[A-Za-z0-9]{40,400}`,
  String.raw`AGE-SECRET-KEY-1[A-Z0-9]{40,400}`,
  String.raw`eyJhdXRo[A-Za-z0-9+/=_-]{8,400}`,
  // Twilio, EasyPost, Mailchimp, Mailgun, HubSpot, New Relic
  String.raw`(?:SK|EZ[AT]K)[a-f0-9]{32}[A-Za-z0-9]{0,100}(?![A-Za-z0-9])`,
  String.raw`[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])`,
  String.raw`(?:pub)?key-[a-f0-9]{32}(?![A-Za-z0-9])`,
  String.raw`pat-[a-z]{2}\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}`,
  String.raw`NR(?:AK|JS|IQ|II)-[A-Za-z0-9_-]{16,400}`,
  // Octopus, OpenShift, Dynatrace, Azure, 1Password, Cloudflare, Harness, Bitbucket, Plaid, Flutterwave, Facebook
  String.raw`API-[A-Z0-9]{24,32}(?![A-Za-z0-9])`,
  String.raw`sha256~[A-Za-z0-9_-]{40,60}`,
  String.raw`dt0[a-z]\d{2}\.[A-Z0-9]{20,30}\.[A-Z0-9]{50,80}`,
  String.raw`[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}`,
  String.raw`A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){3,5}`,
  String.raw`v1\.0-[a-f0-9]{24}-[a-f0-9]{100,400}`,
  String.raw`[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`,
  String.raw`ATBB[A-Za-z0-9]{28,40}`,
  String.raw`access-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}`,
  String.raw`FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?`,
  String.raw`\d{15,16}\|[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])`,
  // Yandex, Dropbox, Adobe, ClickHouse, NuGet, Vault's older tokens, Hugging Face's organizations, SettleMint, MaxMind
  String.raw`AQVN[A-Za-z0-9_-]{35,38}`,
  String.raw`t1\.[A-Za-z0-9_-]{10,400}={0,2}\.[A-Za-z0-9_-]{86}={0,2}`,
  String.raw`sl\.(?:u\.)?[A-Za-z0-9_-]{100,400}`,
  String.raw`(?:p8e-|s-s4t2(?:ud|af)-)[a-f0-9]{32,64}`,
  String.raw`4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])`,
  String.raw`oy2[a-z0-9]{43}(?![A-Za-z0-9])`,
  String.raw`(?<![./\w-])s\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![A-Za-z0-9.])`,
  String.raw`(?:api_org_[A-Za-z]{30,40}|sm_[aps]at_[A-Za-z0-9]{16,40})`,
  String.raw`[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk`,
  // The rows of a key of PuTTY
  String
    .raw`(?<=Private-Lines: \d{1,3}\r?\n)(?:[A-Za-z0-9+/=]{16,80}(?:\r?\n(?=[A-Za-z0-9+/=]{16})|(?=\r?\n|$))){1,60}`,
  // Telegram and Discord bots
  String.raw`(?:bot)?\d{8,12}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])`,
  String.raw`[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`,
  // Services whose tokens are a name and hexadecimal digits; digests of code are written with other names.
  String
    .raw`(?:shp(?:at|ss|ca|pa)|lin_oauth|sntryu|sbp|rubygems|bkua|rdme|sgp|CCIPAT|PMAK|pul|xkeysib|shippo|sq[upa]|lsv2|e2b|CLOJARS)` +
  String.raw`[_-](?:[A-Za-z0-9]{2,40}[_-]){0,2}[a-f0-9]{24,400}(?:-[A-Za-z0-9]{8,40})?`
]

// Of the tokens of all other services, known or not, these hold: a name in small or in capital letters, `_` or `-`, and
// at least 20 random characters. Random text in base64 seldom begins so; ids do, by names that services share.
const ids =
  "(?:nonce|chunk|vendor|index|toolu|tool|call|req|msg|message|run|price|useandom|evt|event|cus|prod|sub|pi|pm|seti|" +
  "acct|txn|org|user|usr|team|proj|thread|asst|file|batch|resp|chatcmpl|cmpl|sess|session|trace|span|build|dpl|img|item|order|inv)[_-]"
const prefixed = new RegExp(
  `${starts}(?<![/+=_-])(?!${ids})(?:[a-z]{2,11}|[A-Z]{2,11})\\d?[_-](?:[A-Za-z0-9]{1,20}[_-]){0,3}[A-Za-z0-9]{20,400}` +
    String.raw`(?:[_-][A-Za-z0-9]{6,40})?(?![A-Za-z0-9+/_-]|\.(?:m?js|css|map)\b)`,
  "g"
)
const digest = /^(?:sha|md)\d/i

/** Whether letters and digits come at random: in words and names of code, small letters stand together. */
const isRandom = (text: string): boolean => {
  const small = text.match(/[a-z]+/g) ?? []
  return /\d/.test(text) && /[A-Z]/.test(text) && small.length > 0 && small.join("").length < 2.4 * small.length
}

const known = new RegExp(`${starts}(?:${tokens.join("|")})`, "g")
// Addresses that let whoever knows them post, and signatures that let whoever knows them read.
const hook = new RegExp(
  String
    .raw`(hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{1,30}/|` +
    String.raw`(?:webhook\.office\.com/webhookb2|outlook\.office\.com/webhook)/|hooks\.zapier\.com/hooks/catch/|` +
    String.raw`maker\.ifttt\.com/trigger/[\w-]{1,100}/(?:json/)?with/key/|[?&]sig=|\bX-(?:Amz|Goog)-Signature=)` +
    String.raw`[A-Za-z0-9/_@%+=.-]{6,400}`,
  "gi"
)
const webToken = /eyJ[A-Za-z0-9_-]{6,8000}(?:\.[A-Za-z0-9_-]{0,8000}){0,4}/g

/** Where tokens are that are known by how they begin. */
export const serviceTokens = (text: string): ReadonlyArray<Span> => [
  ...spansOf(text, known),
  ...spansOf(text, hook),
  ...spansOf(text, prefixed, (found) => {
    const [longest = ""] = found.split(/[_-]/).toSorted((one, other) => other.length - one.length)
    return !digest.test(found) && isRandom(longest)
  }),
  // A first part alone is any JSON object in base64; the second one is what makes it a token.
  ...spansOf(text, webToken, (found) => (found.split(".", 2)[1] ?? "").length >= 10)
]

// Credentials in addresses, headers and cookies

// No repetition here reaches over a slash, and each needs one before it: one walk over the text.
const password = /((?<=:\/\/)[^\s/?#@:"'<>`\\]{0,256}:)([^\s/"'<>`\\]{1,1000})@/g
const bare = /((?<=:\/\/))([^\s/?#@:"'<>`\\]{20,256})@/g
const bearer = /(\b(?:Bearer|Basic|ApiKey) {1,20})([A-Za-z0-9._~+/=-]{16,1000})/gi
const cookies =
  /(?:\bcookie["']?[ \t]{0,20}[:=][ \t]{0,20}|\bcurl\b[^\n|;&]{0,200}?[ \t](?:-b|--cookie)[ =])["']?[^\r\n"'<>]{1,8000}/gi
const cookie =
  /((?<!\b(?:max-age|path|expires|domain|samesite))=)(?!\[redacted\])([^;,\s"'=(){}[\]&|!?]{8,4000}={0,2})/gi
const sql = new RegExp(
  String
    .raw`(\b(?:create|alter|set|grant)[ \t][^\n]{0,300}?\b(?:identified\b[^\n]{0,60}?\bby|password)[ \t=(]{1,20}N?["'])` +
    String.raw`([^"'\n]{1,256})`,
  "gi"
)
const ofDocker =
  /(["']auth["'][ \t]{0,20}:[ \t]{0,20}["'])((?:[A-Za-z0-9+_-]{4}){2,250}(?:[A-Za-z0-9+_-]{2,3}={1,2}|(?=["'])))/g

const ofRequests =
  /(\b(?:auth[ \t]{0,5}=[ \t]{0,5}|HTTP\w{1,10}Auth)\([ \t]{0,5}["'][^"'\n]{1,64}["'],[ \t]{0,5}["'])([^"'\n]{1,256})/g

/** Where passwords in addresses and statements, tokens of headers and cookies are. */
export const credentials = (text: string): ReadonlyArray<Span> => [
  ...spansOf(text, password, (secret) => !isReference(secret) && secret !== marker),
  ...spansOf(text, bare, (user) => /\d/.test(user) && /^[\w.~%-]+$/.test(user)),
  ...spansOf(text, bearer, (token) => /\d/.test(token) || token.length >= 32),
  ...[...text.matchAll(cookies)].flatMap(({ 0: found, index }) =>
    spansOf(found, cookie, (held) => !isReference(held) && (/\d/.test(held) || /^[A-Za-z]{10,}$/.test(held)))
      .map(({ from, to }) => ({ from: index + from, to: index + to }))
  ),
  ...spansOf(text, sql, (secret) => !isReference(secret) && !secret.includes(marker)),
  ...spansOf(text, ofRequests, (secret) => !isReference(secret)),
  ...spansOf(text, ofDocker, (secret) => !isReference(secret))
]

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

/** Where the bodies of private keys are. */
export const privateKeys = (text: string): ReadonlyArray<Span> => {
  const cut = cutEdge.exec(text)?.[0]
  const edges = [...text.matchAll(edge)].map(({ 0: line, 1: kind, index }) => ({
    begins: kind === "BEGIN",
    from: index,
    to: index + line.length
  }))
  if (cut !== undefined && edges[0]?.from !== 0) edges.unshift({ begins: true, from: 0, to: cut.length })
  const spans: Array<Span> = []
  let done = 0
  const add = (from: number, to: number): void => {
    spans.push({ from, to })
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
      add(begin, beforeBreaks(text, begin, from))
      continue
    }
    const first = past(between, text, to)
    const end = endOfRows(text, to)
    const limit = next?.from ?? text.length
    // Anything else in a key: where a long row is left, all of it goes.
    const left = next !== undefined && !next.begins ? text.slice(end ?? to, limit) : ""
    if (left.length <= mostBetween && longRow.test(left)) {
      add(first, limit - trailing(text.slice(Math.max(first, limit - 80), limit)))
    } else if (end !== null) add(first, Math.min(end, limit))
  }
  return spans
}
