// NamedSecrets: which names denote secrets, and which values behind them are secrets.
// The less sure the form of a value, the more it has to look like a secret.
import { assert, describe, it } from "vitest"
import {
  type Form,
  isReference,
  isSecretContent,
  isSecretName,
  isSecretPlain,
  isSecretWord,
  isType,
  secretWord
} from "../../../../src/text/redaction/NamedSecrets.ts"

const isSecret = (name: string): boolean => {
  const found = secretWord().exec(name)
  return found !== null && isSecretName(name, found[0], name.slice(found.index + found[0].length))
}

describe("the name of a secret", () => {
  it.each(
    ("password PASSWORD dbPassword DB_PASSWORD PGPASSWORD password2 passwordProd passwd passphrase pwd dbPwd DB_PASS token " +
      "accessToken GITHUB_TOKEN TOKEN_GITHUB --token _authToken authtoken secret clientSecret SECRET_KEY secretkey " +
      "SECRET_KEY_BASE bindpw olcRootPW pswd privkey code_verifier api_key apiKey APIKEY x-api-key privateKey credentials Authorization")
      .split(" ").map((
        one
      ) => [one])
  )("is %s", (name) => assert.isTrue(isSecret(name)))

  it.each(
    ("tokens TOKENS max_tokens maxToken tokenizer tokenType token_count TOKEN_URL tokenExpiresIn secretary secretName " +
      "passwordless passwordField PASSWORD_FILE hasPassword PWD OLDPWD apiKeyHeader user name passes compass bypass pwned")
      .split(" ")
      .map((one) => [one])
  )("is not %s", (name) => assert.isFalse(isSecret(name)))

  it("is no secret itself", () => {
    for (const word of ["password", "TOKEN", "api_key", "x-api-key", "accessToken"]) assert.isTrue(isSecretWord(word))
    for (const word of ["mypassword", "token1", "swordfish", ""]) assert.isFalse(isSecretWord(word))
  })
})

const forms: ReadonlyArray<Form> = ["literal", "entry", "tight", "loose"]
const takenIn = (value: string, next = ""): string => forms.filter((form) => isSecretPlain(value, form, next)).join(" ")

describe("a value without quotes", () => {
  it.each([
    ["hunter2", "", "literal entry tight loose"],
    ["swordfish", "", "literal entry tight"],
    ["swordfish", ")", "literal"],
    ["a.b.c", "", "literal"],
    ["abc1", "", "literal entry tight"],
    ["12", "", "literal"],
    ["123456", "", "literal entry tight"],
    ["userToken", "", "literal"],
    ["token2", "", "literal"],
    ["sha256", "", "literal"],
    ["getToken", "(", ""],
    ["is", "", "entry tight"],
    ["string", "", ""],
    ["SecretString", "", ""],
    ["null", "", ""],
    ["$TOKEN", "", ""],
    ["<token>", "", ""],
    ["password", "", ""],
    ["./run/secrets", "", ""],
    ["[redacted]", "", ""],
    ["", "", ""]
  ])("%j before %j is taken as: %s", (value, next, expected) => assert.strictEqual(takenIn(value, next), expected))
})

describe("a value in quotes", () => {
  it.each(["hunter2", "x", "s3 cr3t", "correct horse battery staple", "abc${def}", "....!...."])(
    "%j is a secret",
    (one) => assert.isTrue(isSecretContent(one))
  )

  it.each([
    "",
    "  ",
    "${TOKEN}",
    "Bearer ".slice(6),
    "<your token>",
    "***",
    "Enter your password",
    "token",
    "[redacted]"
  ])(
    "%j is not a secret",
    (one) => assert.isFalse(isSecretContent(one))
  )
})

describe("a type", () => {
  it.each(["string", "str", "String", "string | null", "Option<String>", "Redacted.Redacted<string>", "AccessToken"])(
    "is %s",
    (one) => assert.isTrue(isType(one))
  )

  it.each(["hunter2", "swordfish", "stringy", "A8fRc", "string-9"])("is not %s", (one) => assert.isFalse(isType(one)))
})

describe("a reference", () => {
  it.each(["$A", "${A}", "$(cat x)", "{{ a }}", "${{ a.b }}", "<a>", "%A%", "%s", "****", "xxxx", "..."])(
    "is %s",
    (one) => assert.isTrue(isReference(one))
  )

  it.each(["$ecr-t", "a$B", "xx", "abc"])("is not %s", (one) => assert.isFalse(isReference(one)))
})
