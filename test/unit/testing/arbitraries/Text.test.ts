// Text: texts as people mean them and as an attacker writes them, and small numbers, digits and instants.
import { assert, describe, it } from "vitest"
import { hex, hostileText, isoTime, ordinal, plainText } from "../../../../src/testing/arbitraries/Values.ts"
import { drawn, least } from "./drawn.ts"

describe("a hostile text", () => {
  const texts = drawn(hostileText)
  const share = (pattern: RegExp) => texts.filter((text) => pattern.test(text)).length / texts.length

  it.each([
    ["line breaks", /[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/],
    ["headers of outcomes", /HandoffAgent: |DoneFixedPoint|Idle|BinaryError: /],
    ["terminal codes", /\u001b/],
    ["direction characters", /\u202e/]
  ])("often holds %s", (_, pattern) => assert.isAbove(share(pattern), 0.05))

  it("holds every line break there is", () => {
    for (const mark of "\n\r\v\f\u001c\u001d\u001e\u0085\u2028\u2029") {
      assert.isTrue(texts.some((text) => text.includes(mark)))
    }
  })

  it("shrinks towards nothing", () => assert.strictEqual(least(hostileText), ""))
})

describe("other values", () => {
  it("are one line of at most twenty characters", () => {
    for (const text of drawn(plainText)) assert.notMatch(text, /[\n\r]/)
  })

  it("are hexadecimal digits of the length that is asked for", () => {
    for (const digits of drawn(hex(5), 50)) assert.match(digits, /^[0-9a-f]{5}$/)
  })

  it("are numbers from 1 to a small one", () => {
    assert.sameMembers([...new Set(drawn(ordinal(3)))], [1, 2, 3])
    assert.strictEqual(least(ordinal()), 1)
  })

  it("are instants as a log writes them", () => {
    for (const at of drawn(isoTime)) {
      assert.match(at, /^20[234]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.strictEqual(new Date(at).toISOString(), at)
    }
  })
})
