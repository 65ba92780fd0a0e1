// NamedValues: values behind names and the further parts of joined ones, and what of the text around them stays.
import { assert, describe, it } from "vitest"
import { valuesOfNames } from "../../../../src/text/redaction/NamedValues.ts"
import { withoutSpans } from "../../../../src/text/redaction/Patterns.ts"
import { redact } from "../../../../src/text/redaction/Redaction.ts"

const withoutNamedValues = (text: string): string => withoutSpans(text, valuesOfNames(text))

describe("a value behind a name", () => {
  it.each([
    ["a long name", `${"a".repeat(60)}_token: "x"`, `${"a".repeat(60)}_token: "[redacted]"`],
    ["two on a line", 'f({ token: "a", secret: "b" })', 'f({ token: "[redacted]", secret: "[redacted]" })'],
    ["over lines", "token = `a\nb`", "token = `[redacted]`"],
    ["without an end", 'token = "abc def', 'token = "[redacted] def'],
    ["of a thousand characters", `TOKEN=${"ab1".repeat(400)} x`, "TOKEN=[redacted] x"],
    ["with a token in it", "password=a.ghp_0123456789012345678901234567890123456-b", "password=[redacted]"],
    ["a digest", 'Authorization: Digest username="a"\nx', "Authorization: Digest [redacted]\nx"]
  ])("goes: %s", (_, text, safe) => assert.strictEqual(withoutNamedValues(text), safe))

  it.each([
    ["a name that is too long", `${"a".repeat(80)}token: "x"`],
    ["a path of a module", "token::new(1)"],
    ["a comparison", 'token == "x"'],
    ["a tag without an end", "<token>abc"],
    ["a part that is redacted", "password=a[redacted]b"],
    ["an argument by name", "f(a, TOKEN=name)"],
    ["no value", "password:\n\nnext: 1"]
  ])("stays: %s", (_, text) => assert.strictEqual(withoutNamedValues(text), text))
})

describe("parts of a secret", () => {
  it.each([
    ['secret = "hunter2Sec" +\n  "ret99x" + "abc"', 'secret = "[redacted]" +\n  "[redacted]" + "[redacted]"'],
    ["secret = ('hunter2Sec'\r\n  f'ret99x')", "secret = ('[redacted]'\r\n  f'[redacted]')"],
    ['password: "hunter2Sec" \\\n "ret99x"', 'password: "[redacted]" \\\n "[redacted]"'],
    ["token = 'hunter2Sec'\n  . 'ret99x'", "token = '[redacted]'\n  . '[redacted]'"]
  ])("%j", (text, expected) => {
    assert.strictEqual(redact(text), expected)
    assert.strictEqual(redact(expected), expected)
  })

  it.each([
    ['"password": "hunter2",\n"user": "me"', '"password": "[redacted]",\n"user": "me"'],
    ['password = "hunter2"\n"user" = "me"', 'password = "[redacted]"\n"user" = "me"'],
    ['login("password", "hunter2x", "me")', 'login("password", "[redacted]", "me")'],
    ['password = "hunter2"\nname = "me"', 'password = "[redacted]"\nname = "me"']
  ])("are not all texts of %j", (text, expected) => assert.strictEqual(redact(text), expected))

  it("are found in a time that grows with the text", () => {
    const text = `token = "a"${' + "a"'.repeat(200_000)}${"\n".repeat(200_000)}"`
    assert.include(redact(text), '"[redacted]" + "[redacted]"')
  })
})
