// ServiceTokens: tokens are known by how they begin, and only as whole words.
import { assert, describe, it } from "vitest"
import { serviceTokens } from "../../../../src/text/redaction/KnownSecrets.ts"
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
    "%s goes, and what stands around it stays",
    (token) => {
      for (
        const [before, after] of [["", ""], ["(", ")"], ['"', '",'], ["=", "&"], ["\\n", "\\n"], ["%3D", " "]] as const
      ) {
        assert.strictEqual(redact(`${before}${token}${after}`), `${before}[redacted]${after}`)
      }
    }
  )

  it("stays in the midst of a word", () => {
    for (const text of ["desk-buttons-and-more-buttons", "xAKIAIOSFODNN7EXAMPLE", `xghp${some}`]) {
      assert.strictEqual(withoutServiceTokens(text), text)
    }
  })

  it("of a service that nobody listed is known by random letters and digits behind its name", () => {
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
