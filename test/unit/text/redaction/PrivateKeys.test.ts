// PrivateKeys: the bodies of keys go, whole or cut, and the lines around them stay.
import { assert, describe, it } from "vitest"
import { privateKeys } from "../../../../src/text/redaction/KnownSecrets.ts"
import { withoutSpans } from "../../../../src/text/redaction/Patterns.ts"

const withoutPrivateKeys = (text: string): string => withoutSpans(text, privateKeys(text))

const [begin, end] = ["-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"]
const row = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB"
const rows = [row, row, "aB3/cD4="]

describe("a private key", () => {
  it("leaves its first and last line, and what stands around them", () =>
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
  ])("of which a part is cut off goes too", (text, safe) => assert.strictEqual(withoutPrivateKeys(text), safe))

  it("is told from words about keys", () => {
    for (const text of [`${begin}`, `${begin}\n${end}`, `a("${begin}")\nb("${end}")`, `the key\n${end}`, `x ${end}`]) {
      assert.strictEqual(withoutPrivateKeys(text), text)
    }
  })

  it("goes where something else stands between its rows", () => {
    const safe = withoutPrivateKeys([begin, row, "?? ! ??", "some words in it", row, end].join("\n"))
    assert.notInclude(safe, row.slice(0, 20))
    assert.isTrue(safe.endsWith(`\n${end}`))
  })
})
