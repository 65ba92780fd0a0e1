// The policy of a page: digests as browsers make them.
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { policy } from "../../../../../src/read/report/page/Style.ts"

describe("a policy", () => {
  it("names the digests of style and script, and forbids all else", () => {
    const of = (text: string) => createHash("sha256").update(text).digest("base64")
    assert.strictEqual(
      policy("a{}", "b()"),
      `default-src 'none'; style-src 'sha256-${of("a{}")}'; script-src 'sha256-${of("b()")}'; base-uri 'none'; ` +
        "form-action 'none'"
    )
  })
})
