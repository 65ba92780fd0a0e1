// The policy of a page: digests as browsers make them.
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { base64, policy } from "../../../../../src/read/report/page/Style.ts"

describe("a policy", () => {
  it("names the digests of style and script, and forbids all else", () => {
    const of = (text: string) => createHash("sha256").update(text).digest("base64")
    assert.strictEqual(
      policy("a{}", "b()"),
      `default-src 'none'; style-src 'sha256-${of("a{}")}'; script-src 'sha256-${of("b()")}'; base-uri 'none'; ` +
        "form-action 'none'"
    )
  })

  it("writes bytes of every length in base 64", () => {
    for (const bytes of [[], [0], [1, 2], [255, 254, 253], [0, 0, 0, 251]]) {
      const buffer = Buffer.from(bytes)
      assert.strictEqual(base64(buffer.toString("hex")), buffer.toString("base64"))
    }
  })
})
