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
  String.raw`dapi[a-f0-9]{32}`,
  // Atlassian, Doppler, Fly, Terraform, Airtable, Square, Alibaba, JFrog, age, docker's own file
  String.raw`AT[A-Z]{3}3x[A-Za-z0-9_=-]{20,400}`,
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,40}\.)?[A-Za-z0-9]{20,400}`,
  String.raw`fm[12][ar]?_[A-Za-z0-9+/=_-]{20,400}`,
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{30,400}`,
  String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{32,400}`,
  String.raw`sq0[a-z]{3}-[A-Za-z0-9_-]{20,400}`,
  String.raw`(?<![/+])EAAA(?![A-Za-z0-9_-]{0,200}AAAA)[A-Za-z0-9_-]{40,400}`,
  String.raw`r8_[A-Za-z0-9]{30,60}`,
  String.raw`LTAI[A-Za-z0-9]{12,40}`,
  String.raw`AKCp[A-Za-z0-9]{40,400}`,
  String.raw`AGE-SECRET-KEY-1[A-Z0-9]{40,400}`,
  String.raw`eyJhdXRo[A-Za-z0-9+/=_-]{8,400}`,
  // Twilio, EasyPost, Mailchimp, Mailgun, HubSpot, New Relic
  String.raw`(?:SK|EZ[AT]K)[a-f0-9]{32}[A-Za-z0-9]{0,100}(?![A-Za-z0-9])`,
  String.raw`[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])`,
  String.raw`(?:pub)?key-[a-f0-9]{32}(?![A-Za-z0-9])`,
  String.raw`pat-[a-z]{2}\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}`,
  String.raw`NR(?:AK|JS|IQ|II)-[A-Za-z0-9_-]{16,400}`,
  // Telegram and Discord bots
  String.raw`(?:bot)?\d{8,12}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])`,
  String.raw`[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`,
  // Services whose tokens are a name and hexadecimal digits; digests of code are written with other names.
  String.raw`(?:shp(?:at|ss|ca|pa)|lin_oauth|sntryu|sbp|rubygems|bkua|rdme|sgp|CCIPAT|PMAK|pul|xkeysib)` +
  String.raw`[_-](?:[A-Za-z0-9]{2,40}[_-]){0,2}[a-f0-9]{24,400}(?:-[A-Za-z0-9]{8,40})?`
]

// Of the tokens of all other services, known or not, these hold: a name, `_` or `-`, and at least 20 random characters.
const ids = "(?:nonce|chunk|vendor|index|toolu|req|msg|run|price|useandom)[_-]"
const prefixed = new RegExp(
  `${starts}(?<![/+=])(?!${ids})[A-Za-z]{2,11}\\d?[_-](?:[A-Za-z0-9]{1,20}[_-]){0,3}[A-Za-z0-9]{20,400}(?:[_-][A-Za-z0-9]{6,40})?` +
    String.raw`(?![A-Za-z0-9+/]|\.(?:m?js|css|map)\b)`,
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

/** The text without tokens that are known by how they begin. */
export const withoutServiceTokens = (text: string): string => {
  const named = replaceRuns(text, known, () => marker).replace(hook, `$1${marker}`)
  const safe = replaceRuns(named, prefixed, (found) => {
    const [longest = ""] = found.split(/[_-]/).toSorted((one, other) => other.length - one.length)
    return digest.test(found) || !isRandom(longest) ? found : marker
  })
  // A first part alone is any JSON object in base64; the second one is what makes it a token.
  return replaceRuns(safe, webToken, (found) => (found.split(".", 2)[1] ?? "").length >= 10 ? marker : found)
}

// Credentials in addresses, headers, cookies, and options and sentences of programs that take a password

// No repetition here reaches over a slash, and each needs one before it: one walk over the text.
const password = /(?<=:\/\/)([^\s/?#@:"'<>`\\]{0,256}):([^\s/"'<>`\\]{1,1000})@/g
const bare = /(?<=:\/\/)([^\s/?#@:"'<>`\\]{20,256})@/g
const bearer = /\b(?:Bearer|Basic) {1,20}[A-Za-z0-9._~+/=-]{16,1000}/gi
const login = /\b(login\s{1,20}\S{1,100}\s{1,20}password\s{1,20})(\S{1,256})/g

const option = /([ \t](?:-u|--user)[ =]["']?[^\s:"'@/]{1,64}:)([^\s"'`\\]{6,256})/g

// Where a program takes a password behind another letter than everybody else does.
const atCommand = String.raw`(?:(?<=^|[\n;&|(\x60$"'] {0,4}|sudo |exec |env )|(?<=/))`
const logins = String.raw`sshpass|mongo(?:sh|dump|restore|import|export)?|` +
  String.raw`(?:docker|podman|buildah|nerdctl|az|oc)[ \t]{1,5}login|helm registry login`
const clients = "mysql(?:dump|admin|import|show)?|mariadb(?:-dump|-admin)?"
const behind = String.raw`\b[^\n|;&]{0,200}?[ \t]`
const value = String.raw`["']?)([^\s"'\x60\\;&|]{1,256})`
const commands = [
  String.raw`(${atCommand}(?:${logins})${behind}-p[ =]?${value}`,
  // With a blank behind `-p` these ask for the password.
  String.raw`(${atCommand}(?:${clients})${behind}-p${value}`,
  String.raw`(${atCommand}redis-cli${behind}-a[ =]?${value}`,
  String.raw`(${atCommand}openssl${behind}-[kK][ ]${value}`,
  String.raw`([ \t]-pass(?:in|out)?[ ]{1,5}pass:${value}`,
  String.raw`(${atCommand}ldap\w{1,20}${behind}-w[ ]?${value}`,
  String
    .raw`(${atCommand}(?:smbclient|rpcclient|net)${behind}(?:-U|--user)[ =]["']?[^\s%"']{1,64}%)([^\s"'\x60\\;&|]{1,256})`,
  String.raw`((?<=^|\n)[ \t]{0,20}(?:requirepass|masterauth)[ \t]{1,20}${value}(?=[ \t]*(?:[\r\n]|$))`,
  String
    .raw`(\b(?:setx|setenv|set -\w{0,4}x\w{0,4})[ \t]{1,20}\w{0,64}(?:TOKEN|KEY|PASS(?:WORD)?|SECRET)[ \t]{1,20}${value}`,
  String
    .raw`(["']auth["'][ \t]{0,20}:[ \t]{0,20}["'])((?:[A-Za-z0-9+_-]{4}){2,250}(?:[A-Za-z0-9+_-]{2,3}={1,2}|(?=["'])))`
].map((source) => new RegExp(source, "g"))
const sql = new RegExp(
  String
    .raw`(\b(?:create|alter|set|grant)[ \t][^\n]{0,300}?\b(?:identified\b[^\n]{0,60}?\bby|password)[ \t=(]{1,20}N?["'])` +
    String.raw`([^"'\n]{1,256})`,
  "gi"
)
const isPort = (text: string): boolean => /^\d{1,5}(?::\d{1,5})?$/.test(text)

const cookies =
  /(?:\bcookie["']?[ \t]{0,20}[:=][ \t]{0,20}|\bcurl\b[^\n|;&]{0,200}?[ \t](?:-b|--cookie)[ =])["']?[^\r\n"'<>]{1,8000}/gi
const cookie = /(?<!\b(?:max-age|path|expires|domain|samesite))(=)(?!\[redacted\])([^;,\s"'=]{8,4000}={0,2})/gi

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
  const others = replaceRuns(safe, bearer, withoutToken)
    .replace(login, without("literal"))
    .replace(option, without("loose"))
    .replace(
      cookies,
      (found) =>
        found.replace(
          cookie,
          (whole, sign: string, held: string) => isReference(held) || !/\d/.test(held) ? whole : `${sign}${marker}`
        )
    )
  return [...commands, sql].reduce(
    (safe, pattern) =>
      safe.replace(
        pattern,
        (found, before: string, secret: string) =>
          isReference(secret) || secret.includes(marker) || isPort(secret) ? found : `${before}${marker}`
      ),
    others
  )
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
