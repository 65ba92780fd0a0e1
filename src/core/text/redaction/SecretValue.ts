// SecretValue: whether a value that stands behind the name of a secret is one, or a type, a reference or code.
import { marker } from "./Marker.ts"
import { isSecretWord } from "./SecretName.ts"

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

/** Whether a value is the name of a type, or a value that is nobody's secret. */
export const isType = (value: string): boolean => simpleTypes.test(value) || namedTypes.test(value)

/** Whether a value only says where the secret is, or hides it already. */
export const isReference = (value: string): boolean =>
  /^(?:\$[A-Za-z_]\w*|\$\{[^}]*\}?|\$\(.*|\$?\{\{.*|<[^<>]*>?|%\w+%|%[sdv]|\{\w*\}|\*+|x{3,}|•+|\.{2,}|…|-+|_+)$/is
    .test(value)

const withoutReferences = (value: string): string => value.replace(/\$?\{[^{}]{0,200}\}|\$[A-Za-z_]\w{0,99}/g, "")

/** Whether the content of quotes is a secret. */
export const isSecretContent = (content: string): boolean => {
  const value = content.trim()
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(value) || value.includes(marker) || isReference(value) || isSecretWord(value)) {
    return false
  }
  if (/^(?:https?:\/\/|\.{0,2}\/[\w.-]+\/)/.test(value)) return false
  // A label or a message: `Enter your password`.
  if (/\s/.test(value) && /passw|token|secret|key|credential|required|invalid|enter/i.test(value)) return false
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

/** How a value stands behind its name: the surer the form, the less is asked of the value. */
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
