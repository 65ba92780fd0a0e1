// NamedSecrets: which names name secrets, and which values after them are secrets.
import { marker } from "./Patterns.ts"

const keys = "api|access|priv|private|secret|account|signing|encryption|auth|master|shared|storage|subscription|" +
  "hmac|aes|functions|consumer|cipher|webhook|deploy|license|certificate|instrumentation|pre-?shared|unseal|admin"

const word =
  `passw(?:or)?d|passphrase|passcode|(?<=_|\\b--)(?:pass|pw|pat|creds)(?![a-z])|(?<![a-z0-9_-])(?:pass|pw)(?![a-z0-9_-])|` +
  "(?:store|key|require|become_|--)pass(?![a-z-])|(?:bind|root)pw(?![a-z])|pwd|pswd|code[-_]?verifier|secret|token|credential|authorization|mnemonic|seed[-_ ]?phrase|" +
  "(?<![a-z0-9])psk(?![a-z0-9])|(?<=[,;])pass(?==)|sonar\\.login|passwort|kennwort|contrasena|senha|mot de passe|" +
  "client[-_]key[-_]data|(?<=--)(?:primary|secondary)-key|rediscli_auth|sshpass(?==)|sharedaccesssignature|authident|oauth2-bearer|" +
  // npm's name for a user with a password.
  `(?<![a-z0-9])_auth(?![a-z0-9])|api key|(?:${keys})[-_]?key`

/** The words that make a name the name of a secret, anywhere in a text. */
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
    "suffix algorithm alg issuer stdin fd command data audience scope scopes request response list map cache bucket rate per window")
    .split(" ")
)
const amounts = new Set(["max", "min", "num", "total", "n", "count", "is", "has", "no", "show", "hide", "forgot"])
// The working directory of a shell.
const others = new Set(["PWD", "OLDPWD"])

const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/** Whether a name is the name of a secret: `word` is the secret word in it, and `after` what follows in the name. */
export const isSecretName = (name: string, word: string, after: string): boolean => {
  if (others.has(name)) return false
  // A longer word is another word: `tokenizer`, `secretary`, `TOKENS`.
  const longer = /^[a-z]/.test(after) || (/^[A-Z]/.test(after) && word === word.toUpperCase())
  if (longer && !/^(?:key|s$)/i.test(after)) return false
  if (/^s$/i.test(after) && !/^credential$/i.test(word)) return false
  const [head = ""] = wordsOf(name)
  return !amounts.has(head) && !wordsOf(after).some((one) => about.has(one))
}

// Whether a value after the name of a secret is a secret, or a type, a reference or code

const simple =
  "string|str|text|number|int|integer|float|boolean|bool|object|any|unknown|never|void|bytes?|char|array|optional|" +
  "include|omit|required|null|nil|none|undefined|true|false|yes|no|on|off|empty|redacted|hidden|uuid"
const simpleTypes = new RegExp(
  String.raw`^[&*]?(?:${simple})\b(?![-.@!#$%^])(?:\s*[|&<>[\],?!=;(){}].*|\s*)$`,
  "i"
)
const endings =
  "String|Str|Text|Token|Secret|Password|Passphrase|Key|Type|Buffer|Bytes|Redacted|Credentials?|Option|Optional|" +
  "Maybe|Schema|Config|Vec|Box|Arc|Rc|Array|List|Record|Map|Promise|Effect|Any|Value|Literal|Struct|Class"
const ofTypes = String.raw`^[A-Z][A-Za-z]*(?:[<[|?]|\.[A-Z])`
const arrays = String
  .raw`^(?:Big)?(?:Ui|I)nt\d{1,2}(?:Clamped)?Array\b|^Float\d\dArray\b|^\[?\]?(?:[ui]\d{1,3}|byte|bytes\d+)\b[\];]?`
const namedTypes = new RegExp(String.raw`^[A-Z][A-Za-z]*?(?:${endings})\b|${ofTypes}|${arrays}`)

/** Whether a value is the name of a type, or a value that is never a secret. */
export const isType = (value: string): boolean => simpleTypes.test(value) || namedTypes.test(value)

/** Whether a value only says where the secret is, or hides it already. */
export const isReference = (value: string): boolean =>
  /^(?:\$[A-Za-z_]\w*|\$\{[^}]*\}?|\$\(.*|\$?\{\{.*|<[^<>]*>?|%[\w():.]+%|%[sdv]|\{\w*\}|\*+|x{3,}|•+|\.{2,}|…|-+|_+)$/is
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
  const value = content.trim().replace(/^(?:Bearer|Basic|Token) (?=\$)/, "")
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(value) || value.includes(marker) || isReference(value) || isSecretWord(value)) {
    return false
  }
  if (/^(?:https?:\/\/|\.{0,2}\/[\w.-]+\/|-----(?:BEGIN|END) )/.test(value)) return false
  // Code between two texts: `"token " + token + "."`.
  if (/^[+,.)\]};&|?:]+\s|^\s*\+\s.*\s\+\s*$/.test(content)) return false
  // A label or a message: `Enter your password`.
  if (/\s/.test(value) && subject.test(value) && label.test(value)) return false
  return /[\p{L}\p{N}]|[^\s]{4}/u.test(withoutReferences(value)) &&
    !/^(?:string|number|boolean|null|true|false|undefined|same-origin|include|omit)$/.test(value)
}

const dotted = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/
const called = /^[A-Za-z_$][\w$.?]*(?:\(|\[)/
const identifier = /^[A-Za-z_$][A-Za-z_$]*$/
const algorithm =
  /^(?:sha-?\d+|utf-?\d+|base64(?:url)?|md5|oauth2?|[hre]s\d{3}|uuid_?v?\d*|v\d{1,2}(?:(?:alpha|beta)\d?)?)$/i
const words =
  /^(?:is|are|was|and|or|to|for|the|an?|in|from|with|must|not|option|flag|value|when|if|can|cannot|may|will)$/i

const isCode = (value: string, next: string): boolean =>
  called.test(value + next) || (dotted.test(value) && !/\d/.test(value)) || /=>|\?\?|\?\.|\|\|/.test(value + next) ||
  /^(?:(?:await|new|function|async|lambda|yield\*?|typeof|return|throw)\b(?!-)|[([{]|\/[*/])/.test(value)

/** Whether a value is the port of a host, or two of them. */
export const isPort = (value: string): boolean => /^\d{1,5}(?::\d{1,5})?$/.test(value)

/** How a value follows its name: the surer the form, the fewer conditions on the value. */
export type Form =
  /** `NAME=value` of an environment, or a value after an option of a command. */
  | "literal"
  /** `name: value` on a line of its own. */
  | "entry"
  /** `name=value` without a space, as in a query or in keyword arguments. */
  | "tight"
  /** Any other form. */
  | "loose"

/** Whether a value without quotes is a secret; `next` is the character after it. */
export const isSecretPlain = (value: string, form: Form, next: string): boolean => {
  // The cheapest check comes first: a hostile text causes it a million times.
  if (form === "loose" && (value.length < 6 || !/[\d!@#%^~]/.test(value))) return false
  if (value === "" || value.includes(marker) || isReference(value) || isSecretWord(value) || isType(value)) return false
  if (/^(?:https?:\/\/|\.{0,2}\/[\w.-]+\/)/.test(value)) return false
  if (value === "$" && /^[{(]/.test(next)) return false
  if (form === "literal") return next !== "(" && !words.test(value) && !/^[-(]/.test(value)
  if (isCode(value, next) || algorithm.test(value) || /^\d{0,3}$/.test(value)) return false
  const name = identifier.test(value)
  if (name && (/passw|token|secret|key|cred/i.test(value) || /^[,;)\]}.(]/.test(next))) return false
  if (form === "entry" || form === "tight") {
    return !/^[*&!|>[{]/.test(value) && !/^[A-Za-z_]*(?:token|secret|password|key)\d?$/i.test(value)
  }
  return !/^[\d_.]+$/.test(value) && !/^[A-Za-z_]*(?:token|secret|password|key)\d?$/i.test(value)
}

const likeAlgorithm = /^(?:sha|utf|base|md|es|h|x|p|ed|oauth|aes|rsa|hs|rs|v|image|text)\d/i

/** Whether a word looks like a password though its form proves nothing: letters and digits alternate. */
export const isLikePassword = (word: string, turns = 3): boolean =>
  (word.match(/[A-Za-z]+|\d+/g) ?? []).length >= turns && !likeAlgorithm.test(word) && isSecretPlain(word, "loose", "")
