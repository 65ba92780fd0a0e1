// SecretName: whether a name is that of a secret (`DB_PASSWORD`, `apiKey`) or of something about one (`tokenType`).

const keys = "api|access|private|secret|account|signing|encryption|auth|master|shared|storage|subscription"

const word = `passw(?:or)?d|passphrase|passcode|(?<=_)pass(?![a-z])|pwd|secret|token|credential|authorization|` +
  // npm's name for a user with a password.
  `(?<![a-z0-9])_auth(?![a-z0-9])|(?:${keys})[-_]?key`

/** The words that make a name that of a secret, wherever in a text they stand. */
export const secretWord = (): RegExp => new RegExp(word, "gi")

const kinds = "(?:access|refresh|id|auth|api|bearer|csrf|session|client)?"
const alone = new RegExp(`^(?:x[-_])?${kinds}[-_]?(?:passw(?:or)?d|secret|token|credentials?|api[-_]?key|key)$`, "i")

/** Whether a value is such a word by itself: it names a secret and is none. */
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

/** Whether a name is that of a secret: `word` is the secret word that stands in it, and `after` what follows in it. */
export const isSecretName = (name: string, word: string, after: string): boolean => {
  if (others.has(name)) return false
  // A longer word is another one: `tokenizer`, `secretary`, `TOKENS`.
  const longer = /^[a-z]/.test(after) || (/^[A-Z]/.test(after) && word === word.toUpperCase())
  if (longer && !/^(?:key|s$)/i.test(after)) return false
  if (/^s$/i.test(after) && !/^credential$/i.test(word)) return false
  const [head = ""] = wordsOf(name)
  return !amounts.has(head) && !wordsOf(after).some((one) => about.has(one))
}
