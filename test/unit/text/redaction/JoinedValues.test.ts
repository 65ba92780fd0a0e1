// The further parts of a secret that code puts together go with the first, and neighbours that are none stay.
import { assert, describe, it } from "vitest"
import { redact } from "../../../../src/text/redaction/Redaction.ts"

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
