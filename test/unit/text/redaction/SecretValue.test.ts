// SecretValue: which values are secrets; the less sure the form in which they stand, the more is asked of them.
import { assert, describe, it } from "vitest"
import {
  type Form,
  isReference,
  isSecretContent,
  isSecretPlain,
  isType
} from "../../../../src/text/redaction/NamedSecrets.ts"

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
    "%j is none",
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
