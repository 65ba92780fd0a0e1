// VerdictSource: where a verdict was read, as events tell it.
import { Option, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { VerdictSource } from "../../../src/run/ReviewTokens.ts"

describe("VerdictSource", () => {
  it("names its tokens best first; logs hold them for ever", () =>
    assert.deepStrictEqual(VerdictSource.literals, ["session", "stdout", "marker"]))

  it("refuses any other", () => {
    for (const token of ["Session", "stderr", "", null, 1]) {
      assert.isTrue(Option.isNone(Schema.decodeUnknownOption(VerdictSource)(token)))
    }
  })
})
