// KnownSecrets: removes secrets that are known by their form: service tokens, credentials in addresses, private keys.
import { isLikePassword, isReference, isSecretPlain } from "./NamedSecrets.ts"
import { marker, type Span, spansOf } from "./Patterns.ts"

// Not within a word; the letter of an escape does not count.
const starts = String.raw`(?<![A-Za-z0-9]|\\(?=[nrt]))`

// The prefixes of services' tokens, by the characters that follow and their least number. Each repetition is bounded,
// so that all are found in one pass over the text.
const services: ReadonlyArray<readonly [characters: string, least: number, ...before: ReadonlyArray<string>]> = [
  // OpenAI and others, New Relic, GitLab, SendGrid, Google, Square, Yandex, PyPI, OpenShift, Instagram
  [String.raw`\w-`, 16, "sk-(?:proj|svcacct|admin|ant|or|live|test)-", "GR1348941", "NR(?:AK|AL|BR|JS|IQ|II)-"],
  [String.raw`\w.-`, 16, "gl(?:pat|ptt|dt|rt|cbt|ft|ffct|soat|imt|agent|oas|ptr)-", String.raw`SG\.`],
  // Docker, Figma, Linear, Tailscale too
  [
    String.raw`\w-`,
    20,
    "GOCSPX-",
    "sq0[a-z]{3}-",
    "github_pat_",
    "dckr_pat_",
    "figd_",
    "lin_api_",
    "tskey-[a-z]{2,20}-"
  ],
  [String.raw`\w-`, 30, "AIza", "1//0", "AQVN", "pypi-", "sha256~", "IGQV"],
  // GitHub, Doppler, npm, Hugging Face, Replicate, Bitbucket, Brave, Alibaba, Flutterwave, Stripe, Razorpay
  [
    String.raw`A-Za-z\d`,
    20,
    "gh[pousr]_",
    "sk-(?=[A-Za-z\\d]{20})",
    "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[\\w-]{2,40}\\.)?"
  ],
  [String.raw`A-Za-z\d`, 28, "npm_", "hf_", "api_org_", "r8_", "ATBB", "BSA"],
  // Vercel, Cloudflare, Groq, Notion
  [String.raw`A-Za-z\d`, 20, "vc[piark]_", "cf(?:k|ut|at)_", "gsk_", String.raw`ntn_\d{11}`],
  [String.raw`A-Za-z\d`, 12, "LTAI", "FLWSECK(?:_TEST)?-", "sm_[aps]at_", "(?:[rs]k|rzp)_(?:live|test)_"],
  // Amazon, Stripe's signatures, Atlassian, Fly, Grafana, JFrog, Trello
  [
    String.raw`\w+/=-`,
    20,
    "(?:ABSK|bedrock-api-key-)(?=.{40})",
    "whsec_",
    "AT[A-Z]{3}3x",
    "fm[12][ar]?_",
    "gl(?:c|sa)_"
  ],
  [String.raw`A-Za-z\d`, 40, "AKCp", "cmVmd", "ATTA"],
  // Slack
  [String.raw`\w%-`, 10, String.raw`xox[a-z](?:\.xox[a-z])?-`, String.raw`xapp-\d-`],
  // age
  [String.raw`A-Z\d`, 40, "AGE-SECRET-KEY-(?:PQ-)?1"],
  // Hexadecimal digits: digests of code have other names
  [
    String.raw`a-f\d`,
    24,
    "do[opr]_v1_",
    "(?:shp(?:at|ss|ca|pa|tka)|lin_oauth|sntryu|sbp|rubygems|bkua|rdme|sgp|CCIPAT|PMAK|pul|xkeysib|shippo|sq[upa]|lsv2|e2b|" +
    "CLOJARS|zpka|fc|APP_USR)[_-](?:[A-Za-z\\d]{2,40}[_-]){0,3}(?=[a-f\\d]{24})",
    "(?:dapi|dkea|dose)(?=[a-f\\d]{32})",
    String.raw`pat[A-Za-z\d]{14}\.`,
    "(?:p8e-|s-s4t2(?:ud|af)-)",
    String.raw`v1\.0-[a-f\d]{24}-`,
    // Warp, Amp, Infisical, Cursor, Braintree
    String.raw`wk-\d\.`,
    "sgamp_user_\\w{10,40}_",
    String.raw`st\.[a-f\d]{24}\.[a-f\d]{32}\.`,
    "key_(?=[a-f\\d]{64})",
    String.raw`access_token\$(?:production|sandbox)\$[a-z\d]{16}\$`
  ]
]
const uuid = String.raw`[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}`

const tokens: ReadonlyArray<string> = [
  ...services.map(([characters, least, ...before]) =>
    `(?:${before.join("|")})[${characters}]{${least},400}(?:[-_][A-Za-z\\d]{1,40})?`
  ),
  // What was cut before it was looked at
  ...services.map(([characters, , ...before]) => `(?:${before.join("|")})[${characters}]{4,400}(?=\\.\\.\\.)`),
  // Amazon, Tencent, Octopus, Postman, Mailgun, ClickHouse, NuGet, Twilio, EasyPost
  String
    .raw`(?:A(?:KIA|SIA|BIA|CCA)[A-Z\d]{16}|AKID[A-Za-z\d]{32}|(?:API|PMAT)-[A-Z\d]{24,32}|(?:pub)?key-[a-f\d]{32}|` +
  String.raw`4b1d[A-Za-z\d]{38}|oy2[a-z\d]{43}|(?:SK|EZ[AT]K)[a-f\d]{32}[A-Za-z\d]{0,100})(?![A-Za-z\d])`,
  // Langfuse and others, LaunchDarkly, Heroku, Resend, ElevenLabs, Vault
  `(?:sk-lf|pat-[a-z]{2}\\d|waka|access-(?:sandbox|development|production)|sdk|HRKU)[_-](?:AA)?${uuid}`,
  String.raw`HRKU-AA[\w-]{58}|re_[A-Za-z\d]{8}_[A-Za-z\d]{24}(?![A-Za-z\d])|sk_[a-f\d]{48}|hv[sbr]\.[\w-]{24,400}`,
  // npm's with `_`, which names of its variables have too, and Amazon's, which may look like a path
  String
    .raw`npm_(?=\w{0,35}\d)\w{36}(?!\w)|(?<=AWS_SECRET_ACCESS_KEY["']?[ \t]{0,9}[:=][ \t]{0,9}["']?)[\w/+]{40}(?![\w/+=])`,
  // Facebook's
  String.raw`(?<![/+])EAA[A-Z](?![\w-]{0,200}AAAA)[\w-]{40,400}`,
  // Mailchimp, Mailgun
  String.raw`[a-f\d]{32}-(?:us\d{1,2}|[a-f\d]{8}-[a-f\d]{8})(?![\w-])`,
  // Dynatrace, Azure, 1Password, OneSignal, Facebook's apps
  String.raw`dt0[a-z]\d{2}\.[A-Z\d]{20,30}\.[A-Z\d]{50,80}`,
  String.raw`[\w~.]{3}\dQ~[\w~.-]{31,34}`,
  String.raw`A3-[A-Z\d]{6}(?:-[A-Z\d]{5,11}){3,5}`,
  String.raw`[ps]at\.[\w-]{22}\.[A-Za-z\d]{24}\.[A-Za-z\d]{20}`,
  String.raw`\d{15,16}\|[\w-]{27,40}(?![\w-])`,
  // Yandex, Vault's older tokens, MaxMind, Twitter
  String.raw`t1\.[\w-]{10,400}={0,2}\.[\w-]{86}={0,2}`,
  String.raw`(?<![./\w-])s\.(?=[A-Za-z]{0,23}\d)[A-Za-z\d]{24}(?![A-Za-z\d.])`,
  String.raw`[A-Za-z\d]{6}_[A-Za-z\d]{29}_mmk`,
  String.raw`A{20}[\w-]{1,100}%[\w%]{30,100}`,
  // Telegram's and Discord's bots
  String.raw`(?:bot)?\d{8,12}:[\w-]{35}(?![\w-])`,
  String.raw`[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}`,
  // YouTrack and other servers of JetBrains, Twitch's chat
  String.raw`perm[-:][\w+/-]{4,100}={0,2}\.[\w+/-]{2,40}={0,2}\.[A-Za-z\d]{30,100}`,
  String.raw`oauth:[a-z\d]{30}(?![\w-])`,
  // Bitwarden, Asana, Convex, Copilot, Codefresh
  `0\\.${uuid}\\.[A-Za-z\\d]{20,40}:[A-Za-z\\d+/]{20,40}={0,2}`,
  String.raw`(?<!/)[012](?:/\d{10,20}){1,2}:[a-f\d]{32}(?![A-Za-z\d])`,
  String.raw`(?:prod|dev|preview|project):[\w:-]{3,80}\|[\w+/-]{20,400}={0,2}`,
  String.raw`tid=[a-f\d]{32};[\w;=:.-]{20,2000}`,
  String.raw`(?<!\.)[a-f\d]{24}\.[a-f\d]{32}(?![\w.])`,
  // Wallets, and hashed passwords
  String.raw`[xyz]prv[A-Za-z\d]{80,200}`,
  String.raw`\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]{0,20}|ARGON2\w{0,2})\}[\w+/$=.,-]{16,400}`,
  String.raw`(?<=^|[^A-Za-z\d])\$(?:1|2[abxy]|5|6|7|y|gy|apr1|argon2id?|scrypt)\$[\w./$=,+-]{20,200}`,
  // The lines of a PuTTY key
  String.raw`(?<=Private-Lines: \d{1,3}\r?\n)(?:[\w+/=]{16,80}(?:\r?\n(?=[\w+/=]{16})|(?=\r?\n|$))){1,60}`
]

// Tokens of other services, known or not: a prefix in lower or upper case, `_` or `-`, and at least 20 random
// characters. Random base64 seldom begins like this; ids do, with prefixes that services share.
const ids =
  "(?:nonce|chunk|vendor|index|toolu|tool|call|req|msg|message|run|price|useandom|evt|event|cus|prod|sub|pi|pm|seti|" +
  "acct|txn|org|user|usr|team|proj|thread|asst|file|batch|resp|chatcmpl|cmpl|sess|session|trace|span|build|dpl|img|item|order|inv)[_-]"
const prefixed = new RegExp(
  `${starts}(?<![/+=_-])(?!${ids})(?:[a-z]{2,11}|[A-Z]{2,11}|[a-z](?=\\d))\\d?[_-](?:[A-Za-z0-9]{1,20}[_-]){0,3}` +
    String.raw`[A-Za-z0-9]{20,400}(?:[_-][A-Za-z0-9]{3,40})?(?![A-Za-z0-9+/_-]|\.(?:m?js|css|map)\b)`,
  "g"
)
// The same with points between, as in `v4.public.`: only longer ones, since names of code have points too.
const pointed = new RegExp(
  `${starts}(?<![/+=_.-])(?:[A-Za-z0-9]{1,14}\\.){1,2}[A-Za-z0-9_-]{30,400}(?![A-Za-z0-9+/_.(-])`,
  "g"
)
const digest = /^(?:sha|md)\d/i

/** Whether letters and digits look random: in words and names of code, lower-case letters come in groups. */
const isRandom = (found: string): boolean => {
  const [text = ""] = found.split(/[_.-]/).toSorted((one, other) => other.length - one.length)
  const small = text.match(/[a-z]+/g) ?? []
  const switches = text.match(/[A-Za-z]+|\d+/g) ?? []
  if (!/\d/.test(text) || digest.test(found)) return false
  return /[A-Z]/.test(text) && small.length > 0
    ? small.join("").length < 2.4 * small.length
    : !/^[a-f\d]+$/i.test(text) && switches.length > 8
}

const known = new RegExp(`${starts}(?:${tokens.join("|")})`, "g")
// Addresses that let anyone who knows them post, and signatures that let anyone read.
const hook = new RegExp(
  String
    .raw`(hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{1,30}/|` +
    String.raw`(?:webhook\.office\.com/webhookb2|outlook\.office\.com/webhook)/|hooks\.zapier\.com/hooks/catch/|` +
    String
      .raw`maker\.ifttt\.com/trigger/[\w-]{1,100}/(?:json/)?with/key/|[?&]sig(?:nature)?=|\bX-(?:Amz|Goog)-Signature=)` +
    String.raw`[A-Za-z0-9/_@%+=.-]{6,400}`,
  "gi"
)
const query = /([?&#](?:key|auth|code|sig|hash|ticket)=)([\w%-]{24,400})/g
const webToken = /eyJ[A-Za-z0-9_-]{6,8000}(?:\.[A-Za-z0-9_-]{0,8000}){0,4}/g

/** The places of tokens that are recognised by their prefix. */
export const serviceTokens = (text: string): ReadonlyArray<Span> => [
  ...spansOf(text, known),
  ...spansOf(text, hook),
  ...spansOf(text, prefixed, isRandom),
  ...spansOf(text, pointed, isRandom),
  ...spansOf(text, query, isRandom),
  // The first part alone is any JSON object in base64; the second one makes it a token.
  ...spansOf(text, webToken, (found) => found.split(".").slice(1).join("").length >= 10)
]

// Credentials in addresses, headers and cookies

// No repetition here crosses a slash, and each needs one before it: one pass over the text.
const password = /((?<=:\/\/)[^\s/?#@:"'<>`\\]{0,256}:)([^\s/"'<>`\\]{1,1000})@/g
const bare = /((?<=:\/\/))([^\s/?#@:"'<>`\\]{20,256})@/g
const bearer = /(\b(?:Bearer|Basic|Api-?Key|Splunk),? {1,20})([A-Za-z0-9._~+/=-]{8,1000})/gi
const cookies =
  /(?:\bcookie["']?[ \t]{0,20}[:=][ \t]{0,20}|\bcurl\b[^\n|;&]{0,200}?[ \t](?:-b|--cookie)[ =])["']?[^\r\n"'<>]{1,8000}/gi
const cookie =
  /((?<!\b(?:max-age|path|expires|domain|samesite))=)(?!\[redacted\])([^;,\s"'=(){}[\]&|!?]{8,4000}={0,2})/gi
const sql = new RegExp(
  String
    .raw`(\b(?:create|alter|set|grant)[ \t][^\n]{0,300}?\b(?:identified\b[^\n]{0,60}?\bby|password(?:[ \t]for\b[^\n"'=]{1,100}(?==))?)[ \t=(]{1,20}N?["'])` +
    String.raw`([^"'\n]{1,256})`,
  "gi"
)
const ofRequests =
  /(\b(?:auth[ \t]{0,5}=[ \t]{0,5}|HTTP\w{1,10}Auth)\([ \t]{0,5}["'][^"'\n]{1,64}["'],[ \t]{0,5}["'])([^"'\n]{1,256})/g

// The private numbers of a key in JSON or XML, and sessions by the names that servers give them.
const ofKeys = /("(?:d|p|q|dp|dq|qi|k)"[ \t]{0,9}:[ \t]{0,9}"|<(?:D|P|Q|DP|DQ|InverseQ)>)[\w+/=-]{20,4000}(?=["<])/g
const session = /((?:sess(?:ion)?_?(?:id)?|\bsid)["']?[ \t]{0,9}[:=][ \t]{0,9}["']?)(?![a-f\d]{8}-)[\w%.-]{20,400}/gi
// A password beside a user, and signed, hashed or login values.
const ofPairs =
  /(\buser\w{0,8}["']?[ \t]{0,9}[:=][ \t]{0,9}["'][^"'\n]{1,64}["'],[ \t]{0,9}["']?pass["']?[ \t]{0,9}[:=][ \t]{0,9}["'])([^"'\n]{1,256})/gi
const calls = /(?:login|connect\w{0,10}|PDO|jwt\.\w{1,12}|createHmac|hmac\.new|authenticate)\([^\n()]{1,300}[),]/gi
const argument = /(["'])([^"'\s./:;=]{6,64})\1/g
// Bundler's settings: the user and the password of a gem server.
const ofGems = /(\bBUNDLE_[A-Z\d_]{1,100}__[A-Z\d_]{1,100}["']?[:=][ \t]{0,9}["']?[\w.-]{1,64}:)([^\s"'#]{3,200})/g
// `user:password@host` without a scheme, a line of PostgreSQL's password file, and a token instead of a user.
const ofHosts =
  /((?<![\w:/.@-])(?!npm:|pkg:|jsr:)(?:\/\/)?[\w.-]{1,64}:)([^\s/@:"'<>`]{3,200})@(?=(?:tcp|unix)\(|[a-z][\w.-]{0,99}(?:[:/ "']|\r?\n|$))/gi
const ofPostgres = /((?<=^|\n)[\w.*-]{1,99}:(?:\d{1,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:)([^\s:]{3,200})(?=\s|$)/g
const ofUsers = /((?<=:\/\/))([\w-]{20,256})(?=:(?:x-oauth-basic)?@)/g

// Objects whose values are secrets under any name: Composer's tokens of hosts, and the data of Kubernetes' secrets.
const ofHostsByName = /"(?:bearer|github-oauth|gitlab-token)"\s{0,20}:\s{0,20}\{[^{}]{1,8000}\}?/g
const ofSecretsByName = /"stringData"\s{0,20}:\s{0,20}\{[^{}]{1,8000}\}?/g
const valueInJson = /("[^"\n]{1,200}"\s{0,20}:\s{0,20}")((?:[^"\\\n]|\\.){1,8000})/g
const yamlData = String.raw`[ \t]{0,20}(?:#[^\n]{0,200})?\r?\n(?:[ \t]{1,40}[^\n]{0,8000}(?:\n|$)){1,200}`
const ofManifests = new RegExp(String.raw`(?<=^|\n)[ \t]{0,20}stringData:${yamlData}`, "g")
const ofManifestsInBase64 = new RegExp(String.raw`(?<=^|\n)[ \t]{0,20}data:${yamlData}`, "g")
const secretManifest = /(?:^|\n)[ \t]{0,20}kind: ["']?Secret\b/
const base64 = /^[A-Za-z\d+/]{4,}={0,2}$/
const valueInYaml = /((?<=\n)[ \t]{1,40}["']?[\w.-]{1,200}["']?:[ \t]{1,9}["']?)([^\s"'|>{[][^"'\n]{0,8000})/g

/** The finds of a pattern within the finds of another. */
const within = (text: string, outer: RegExp, inner: RegExp, isSecret: (secret: string) => boolean) =>
  [...text.matchAll(outer)].flatMap(({ 0: found, index }) =>
    spansOf(found, inner, isSecret).map(({ from, to }) => ({ from: index + from, to: index + to }))
  )

/** The places of passwords in addresses and statements, and of tokens in headers and cookies. */
export const credentials = (text: string): ReadonlyArray<Span> => [
  ...spansOf(text, password, (secret) => !isReference(secret) && secret !== marker),
  ...spansOf(text, bare, (user) => /\d/.test(user) && /^[\w.~%-]+$/.test(user)),
  ...spansOf(
    text,
    bearer,
    (token) => token.length >= 32 || (token.length >= 16 && /\d/.test(token)) || isLikePassword(token)
  ),
  ...within(text, cookies, cookie, (held) => !isReference(held) && (/\d/.test(held) || /^[A-Za-z]{10,}$/.test(held))),
  ...within(text, calls, argument, isLikePassword),
  ...within(text, ofHostsByName, valueInJson, (secret) => !isReference(secret)),
  ...within(text, ofSecretsByName, valueInJson, (secret) => !isReference(secret)),
  ...within(text, ofManifests, valueInYaml, (secret) => !isReference(secret)),
  ...(secretManifest.test(text) ? within(text, ofManifestsInBase64, valueInYaml, (value) => base64.test(value)) : []),
  ...spansOf(text, sql, (secret) => !isReference(secret) && !secret.includes(marker)),
  ...spansOf(text, ofRequests, (secret) => !isReference(secret)),
  ...spansOf(text, ofKeys),
  ...spansOf(text, session, (id) => /\d/.test(id) && !/[A-Za-z]{12}/.test(id)),
  ...spansOf(text, ofGems, (secret) => !isReference(secret)),
  ...spansOf(text, ofPairs, (secret) => !isReference(secret)),
  ...spansOf(text, ofHosts, (secret) => isSecretPlain(secret, "loose", "") && !/^[\d.]/.test(secret)),
  ...spansOf(text, ofPostgres, (secret) => !isReference(secret)),
  ...spansOf(text, ofUsers, (user) => /\d/.test(user))
]

// Private keys in PEM and PGP, also partial ones. The first and last lines of a key stay, to show what it was.

const edge = /-----?(?: ?)(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-----?/g
// A text that begins in the middle of the first line of a key.
const cutEdge = /^(?!-----BEGIN)[A-Z0-9 -]{0,50}-----(?=\s|\\)/

// The separators of a key's lines: breaks, also escaped ones, quotes and signs around them, line numbers.
const between = /(?:\\+[rnt]|[^A-Za-z0-9\\]|\\+(?=["'`])){0,80}(?:\d{1,6}[\t:|→] ?)?/y
const header = /[A-Z][A-Za-z-]{2,30}: [^\n\\]{0,200}/y
const row = /[A-Za-z0-9+/=]{16,4000}/y
const lastRow = /[A-Za-z0-9+/=]{1,80}(?=\s{0,80}(?:\\+[rn]|[\r\n"'`]|$|-----))/y
const longRow = /[A-Za-z0-9+/=]{40}/
const brokenRows = /^(?=[^\d]*\d)[A-Za-z0-9+/=\s]{40,}$/
const mostBack = 20_000
const mostBetween = 200_000

/** The length of a break and the beginning of another line at the end of a text. */
const trailing = (text: string): number => /(?:[\s"'`,+>|*#-]|\\+[rn])*$/.exec(text)?.[0].length ?? 0

const past = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** The end of a key's lines that begin at `from`; null if there are none. */
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

/** The beginning of the breaks before `to`, also escaped ones. */
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

/** The beginning of a key's lines that end at `to`; null if there are none. */
const beginOfRows = (text: string, from: number, to: number): number | null => {
  const start = Math.max(from, to - mostBack)
  const rows = [...text.slice(start, to).matchAll(/(?:[^\n\\]|\\+(?![\\rn]))+/g)]
  let begin: number | null = null
  let whole = false
  for (const { 0: line, index } of rows.reverse()) {
    if (line.includes(marker)) break
    const body = line.replace(/^[^A-Za-z0-9/]{0,20}(?:\d{1,6}[\t:|→] ?)?/, "").replace(/[^A-Za-z0-9+/=]{1,40}$/, "")
    // An escape at the end of a line leaves its letter to the next one.
    const bare = body.replace(/^[rn](?=[A-Za-z0-9+/=]{16})/, "")
    if (bare !== "" && (!/^[A-Za-z0-9+/=]+$/.test(bare) || (bare.length < 16 && begin !== null && index > 0))) break
    if (bare !== "") begin = start + index + line.indexOf(body)
    whole ||= bare.length >= 16
  }
  return whole ? begin : null
}

/** The places of private keys' bodies. */
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
      // The body ends with its last line, so that the break before the closing line stays.
      add(begin, beforeBreaks(text, begin, from))
      continue
    }
    const first = past(between, text, to)
    const end = endOfRows(text, to)
    const limit = next?.from ?? text.length
    // Anything else in a key: if a long line is left, all of it is removed.
    const left = next !== undefined && !next.begins ? text.slice(end ?? to, limit) : ""
    if (left.length <= mostBetween && (longRow.test(left) || brokenRows.test(left))) {
      add(first, limit - trailing(text.slice(Math.max(first, limit - 80), limit)))
    } else if (end !== null) add(first, Math.min(end, limit))
  }
  return spans
}
