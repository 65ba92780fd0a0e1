// SecretName: names of secrets, and names of something about them.
import { assert, describe, it } from "vitest"
import { isSecretName, isSecretWord, secretWord } from "../../../../src/text/redaction/NamedSecrets.ts"

const isSecret = (name: string): boolean => {
  const found = secretWord().exec(name)
  return found !== null && isSecretName(name, found[0], name.slice(found.index + found[0].length))
}

describe("the name of a secret", () => {
  it.each(
    ("password PASSWORD dbPassword DB_PASSWORD PGPASSWORD password2 passwordProd passwd passphrase pwd dbPwd DB_PASS token " +
      "accessToken GITHUB_TOKEN TOKEN_GITHUB --token _authToken authtoken secret clientSecret SECRET_KEY secretkey " +
      "SECRET_KEY_BASE api_key apiKey APIKEY x-api-key privateKey credentials Authorization").split(" ").map((
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
