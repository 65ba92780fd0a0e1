// FailureKind: why a slot failed, whether to try again, and what people can do about it.
import { Option, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { FailureKind, isTransient, remedy } from "../../../src/run/ReviewTokens.ts"

describe("FailureKind", () => {
  it("tries again only what time may heal", () =>
    assert.deepStrictEqual(FailureKind.literals.filter(isTransient), [
      "RateLimited",
      "ServerError",
      "StreamLost",
      "Overloaded",
      "Unstarted"
    ]))

  it.each(FailureKind.literals)(
    "has one line of advice for %s, in a sentence's plain words",
    (kind) => assert.match(remedy(kind), /^[a-z][^\n]{9,98}[^.\n]$/)
  )

  it("gives no two causes that are not of one remedy the same advice", () =>
    assert.strictEqual(new Set(FailureKind.literals.map(remedy)).size, FailureKind.literals.length))

  it("is refused as a token that is not known", () => {
    const decode = Schema.decodeUnknownOption(FailureKind)
    assert.isTrue(Option.isSome(decode("Quota")))
    for (const token of ["quota", "Timeout", "", null]) assert.isTrue(Option.isNone(decode(token)))
  })
})
