// Marker: what stands in a secret's place is no secret itself, wherever it stands.
import { assert, describe, it } from "vitest"
import { marker } from "../../../../src/text/redaction/Patterns.ts"
import { redact } from "../../../../src/text/redaction/Redaction.ts"

describe("the marker", () => {
  it.each(["", "password: ", "TOKEN=", "--token ", "Authorization: Bearer ", "Authorization: ", "a token=", "{ key: "])(
    "stays behind %j",
    (before) => {
      for (const after of ["", ";", ",", "\\nx", " ", "\n", '"']) {
        assert.strictEqual(redact(`${before}${marker}${after}`), `${before}${marker}${after}`)
      }
    }
  )

  it("stays between quotes and in addresses", () => {
    for (const text of [`secret = "${marker}"`, `a://u:${marker}@h`, `<token>${marker}</token>`]) {
      assert.strictEqual(redact(text), text)
    }
  })
})
