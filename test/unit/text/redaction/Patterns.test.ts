// Patterns: what is found goes with the rest of its run, and the marker in its place is no secret itself.
import { assert, describe, it } from "vitest"
import { isNameAt, marker, mostRepeated, spansOf, withoutSpans } from "../../../../src/text/redaction/Patterns.ts"
import { redact } from "../../../../src/text/redaction/Redaction.ts"

const pattern = new RegExp(`x[a-z]{2,${mostRepeated}}`, "g")

const without = (text: string, one = pattern, isSecret?: (found: string) => boolean): string =>
  withoutSpans(text, spansOf(text, one, isSecret))

describe("a run", () => {
  it("is replaced where it is found and a secret", () => {
    assert.strictEqual(without("1 xab 2 xcd 3"), "1 [redacted] 2 [redacted] 3")
    assert.strictEqual(without("1 xab 2 xcd 3", pattern, (found) => found === "xcd"), "1 xab 2 [redacted] 3")
  })

  it("is what follows a first group, to the end of a second one", () => {
    assert.strictEqual(without("xab xcd", /(x)[a-z]/g), "x[redacted]b x[redacted]d")
    assert.strictEqual(without("xab xcd", /(x)([a-z])[bd]/g), "x[redacted]b x[redacted]d")
  })

  it("goes as a whole, however long it is", () => {
    assert.strictEqual(without(`1 x${"ab".repeat(5000)}.c-D 2`), "1 [redacted] 2")
    assert.strictEqual(without("xab.c"), "[redacted].c")
  })

  it("is made of letters, digits, underscores and hyphens", () =>
    assert.deepStrictEqual([..."aZ09_-. é"].map((one) => isNameAt(one, 0)), [
      ...Array.from({ length: 6 }, () => true),
      ...[false, false, false]
    ]))
})

describe("spans", () => {
  it("have one marker where they touch, in any order", () => {
    const spans = [{ from: 4, to: 6 }, { from: 0, to: 2 }, { from: 1, to: 3 }, { from: 5, to: 7 }]
    assert.strictEqual(withoutSpans("0123456789", spans), "[redacted]3[redacted]789")
    assert.strictEqual(withoutSpans("01", []), "01")
  })
})

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
