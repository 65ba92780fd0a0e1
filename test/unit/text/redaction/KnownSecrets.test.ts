// KnownSecrets: tokens of services, passwords in addresses and logins, and private keys.
import { assert, describe, it } from "vitest"
import { argumentsOfPrograms } from "../../../../src/text/redaction/Commands.ts"
import { credentials, privateKeys, serviceTokens } from "../../../../src/text/redaction/KnownSecrets.ts"
import { withoutSpans } from "../../../../src/text/redaction/Patterns.ts"
import { redact } from "../../../../src/text/redaction/Redaction.ts"

const withoutServiceTokens = (text: string): string => withoutSpans(text, serviceTokens(text))
const some = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"

describe("a token", () => {
  it.each([
    `ghp_${some}`,
    `sk-ant-${some}`,
    `sk-${some}`,
    `xoxp-${some}`,
    `AIza${some}`,
    `npm_${some}`,
    `glpat-${some}`
  ])(
    "%s goes, and the text around it stays",
    (token) => {
      for (
        const [before, after] of [["", ""], ["(", ")"], ['"', '",'], ["=", "&"], ["\\n", "\\n"], ["%3D", " "]] as const
      ) {
        assert.strictEqual(redact(`${before}${token}${after}`), `${before}[redacted]${after}`)
      }
    }
  )

  const hex = "0123456789abcdef0123456789abcdef"
  it.each([
    `wk-1.${hex}${hex}`,
    `sgamp_user_01K0ABCDEFGHJKMNPQRSTVWXYZ_${hex}${hex}`,
    `st.${hex.slice(8)}.${hex}.${hex}`,
    `key_${hex}${hex}`,
    `access_token$production$abcd1234efgh5678$${hex}`,
    `perm:Ym9iLmI=.NDctMQ==.${some}`,
    `perm-Ym9iLmI=.NDctMQ==.${some}`,
    "oauth:vqk52s0m4ejjw58g2cdd5agdgp5amn",
    "hvs.abcdefghijklmnopqrstuvwx",
    "HRKU-01234567-89ab-cdef-0123-456789abcdef",
    "re_abcdefgh_abcdefghijklmnopqrstuvwx",
    "sdk-01234567-89ab-cdef-0123-456789abcdef",
    `sk_${hex}${hex.slice(16)}`
  ])("%s goes whole", (token) => assert.strictEqual(withoutServiceTokens(`a ${token} b`), "a [redacted] b"))

  it("goes also if a text was cut within it", () => {
    assert.strictEqual(redact("the key ghp_aB3d... is in the code"), "the key [redacted]... is in the code")
    for (const text of ["npm_...", "ghp_aB3d is", "sk-..."]) assert.strictEqual(redact(text), text)
  })

  it("stays in the midst of a word", () => {
    for (const text of ["desk-buttons-and-more-buttons", "xAKIAIOSFODNN7EXAMPLE", `xghp${some}`]) {
      assert.strictEqual(withoutServiceTokens(text), text)
    }
  })

  it("of a service that no one listed is known by random letters and digits behind its name", () => {
    for (const text of [`desk-${some}`, `risk_test_${some}`, `acme_live_${some}_1a2b3c4d`]) {
      assert.strictEqual(withoutServiceTokens(text), "[redacted]")
    }
    for (
      const text of [
        "sha512-aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5",
        "my-ComponentWithAVeryLongNameInCamelCase2",
        "commit_0123456789abcdef0123456789abcdef01234567",
        "test_2024_01_02_migrationOfTheWholeDatabase"
      ]
    ) assert.strictEqual(withoutServiceTokens(text), text)
  })

  it("of the web has two parts at least", () => {
    assert.strictEqual(withoutServiceTokens("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.abc"), "[redacted]")
    assert.strictEqual(withoutServiceTokens("eyJhbGciOiJIUzI1NiJ9"), "eyJhbGciOiJIUzI1NiJ9")
    assert.strictEqual(withoutServiceTokens("eyJhbGciOiJIUzI1NiJ9.length"), "eyJhbGciOiJIUzI1NiJ9.length")
  })
})

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
    ["login me\npassword abc\n", "login me\npassword [redacted]\n"],
    ['BUNDLE_GEMS__X__COM: "bob:hunter2x"', 'BUNDLE_GEMS__X__COM: "bob:[redacted]"']
  ])("of %j goes", (text, safe) => assert.strictEqual(withoutCredentials(text), safe))

  it.each([
    "https://h:80/a@b",
    "ssh://git@h/x",
    "https://u:${PASSWORD}@h",
    "https://some-long-user-name-here@h",
    "Bearer authentication",
    "BUNDLE_GEMS__X__COM=bob:$PASS",
    "docker run -u 1000:100000 -u app:wheels --user $ME:$PASS2 x",
    "login to the password page"
  ])("is not found in %j", (text) => assert.strictEqual(withoutCredentials(text), text))
})

const withoutPrivateKeys = (text: string): string => withoutSpans(text, privateKeys(text))
const [begin, end] = ["-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"]
const row = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB"
const rows = [row, row, "aB3/cD4="]

describe("a private key", () => {
  it("leaves its first and last line, and the text around them", () =>
    assert.strictEqual(
      withoutPrivateKeys(`a\n${[begin, ...rows, end].join("\n")}\nb`),
      `a\n${begin}\n[redacted]\n${end}\nb`
    ))

  it("is one of several", () => {
    const key = [begin, ...rows, end].join("\n")
    const safe = `${begin}\n[redacted]\n${end}`
    assert.strictEqual(withoutPrivateKeys(`${key}\n${key}\nc`), `${safe}\n${safe}\nc`)
  })

  it.each([
    [`${begin}\n${row}\n${row}`, `${begin}\n[redacted]`],
    [`${begin}\n${row}\n${row.slice(0, 20)}`, `${begin}\n[redacted]`],
    [`${begin}\n${row}\n\nwords after it`, `${begin}\n[redacted]\n\nwords after it`],
    [`${row.slice(30)}\n${row}\n${end}`, `[redacted]\n${end}`],
    [`some words\n${row}\naB3=\n${end}`, `some words\n[redacted]\n${end}`],
    [`KEY-----\n${row}\nx y`, "KEY-----\n[redacted]\nx y"]
  ])("that is cut off is removed too", (text, safe) => assert.strictEqual(withoutPrivateKeys(text), safe))

  it("is distinguished from words about keys", () => {
    for (const text of [`${begin}`, `${begin}\n${end}`, `a("${begin}")\nb("${end}")`, `the key\n${end}`, `x ${end}`]) {
      assert.strictEqual(withoutPrivateKeys(text), text)
    }
  })

  it("is removed even with other text between its lines", () => {
    const safe = withoutPrivateKeys([begin, row, "?? ! ??", "some words in it", row, end].join("\n"))
    assert.notInclude(safe, row.slice(0, 20))
    assert.isTrue(safe.endsWith(`\n${end}`))
  })
})
