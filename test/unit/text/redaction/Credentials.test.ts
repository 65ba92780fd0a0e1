// Credentials: passwords of addresses and of logins, and bearer tokens.
import { assert, describe, it } from "vitest"
import { argumentsOfPrograms } from "../../../../src/text/redaction/Commands.ts"
import { credentials } from "../../../../src/text/redaction/KnownSecrets.ts"
import { withoutSpans } from "../../../../src/text/redaction/Patterns.ts"

const withoutCredentials = (text: string): string =>
  withoutSpans(text, [...credentials(text), ...argumentsOfPrograms(text)])

describe("a credential", () => {
  it.each([
    ["https://u:p@h/x", "https://u:[redacted]@h/x"],
    ["a://u:p@q@h b://:r@i", "a://u:[redacted]@h b://:[redacted]@i"],
    ["Bearer abcdef0123456789", "Bearer [redacted]"],
    ["bearer ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGH", "bearer [redacted]"],
    ["curl -u admin:hunter2x https://h", "curl -u admin:[redacted] https://h"],
    ["curl --user 'me:p4ss:word' h", "curl --user 'me:[redacted]' h"],
    ["login me\npassword abc\n", "login me\npassword [redacted]\n"]
  ])("of %j goes", (text, safe) => assert.strictEqual(withoutCredentials(text), safe))

  it.each([
    "https://h:80/a@b",
    "ssh://git@h/x",
    "https://u:${PASSWORD}@h",
    "https://some-long-user-name-here@h",
    "Bearer authentication",
    "docker run -u 1000:100000 -u app:wheels --user $ME:$PASS2 x",
    "login to the password page"
  ])("is none in %j", (text) => assert.strictEqual(withoutCredentials(text), text))
})
