// Redact: no planted secret survives, what is redacted stays, and a hostile text is no trap.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { cutSafely, joined, partsOf, redact } from "../src/text/redaction/Redaction.ts"
import { planted, surroundings } from "./redaction.ts"
import { endless, shapes } from "./redactionShapes.ts"

describe("redact", () => {
  it("lets no planted secret survive", () =>
    fc.assert(
      fc.property(fc.array(planted, { minLength: 1, maxLength: 4 }), (all) => {
        const safe = redact(all.map(({ text }) => text).join("\nsome words\n"))
        for (const secret of all.flatMap(({ secrets }) => secrets)) assert.notInclude(safe, secret)
        assert.include(safe, "[redacted]")
      }),
      { numRuns: 1000 }
    ))

  it("changes nothing of what it gave", () =>
    fc.assert(
      fc.property(surroundings, planted, surroundings, (before, { text }, after) => {
        const safe = redact(`${before}${text}${after}`)
        assert.strictEqual(redact(safe), safe)
      }),
      { numRuns: 2000 }
    ))

  it("lets every character stay that is in no secret", () =>
    fc.assert(fc.property(fc.array(fc.constantFrom("a ", "b.c ", "(x, y) ", "\n", "if (z) { ", "} ")), (words) => {
      assert.strictEqual(redact(words.join("")), words.join(""))
    })))
})

describe("a text that is cut", () => {
  it("holds no half of a secret", () =>
    fc.assert(
      fc.property(planted, fc.nat(400), fc.nat(400), fc.integer({ min: 0, max: 500 }), (one, before, after, limit) => {
        const short = cutSafely(`${"w ".repeat(before)}\n${one.text}\n${" v".repeat(after)}`, limit)
        assert.isAtMost(short.length, limit)
        for (const secret of one.secrets) {
          assert.notInclude(short, secret.slice(0, 12))
          assert.notInclude(short, secret.slice(-12))
        }
      }),
      { numRuns: 500 }
    ))

  it("has all of its parts", () =>
    fc.assert(fc.property(fc.string({ unit: "binary", minLength: 400, maxLength: 900 }), (text) => {
      const parts = partsOf(text, 300)
      if (parts === null) return
      assert.strictEqual(parts.head + parts.middle + parts.tail, redact(text))
      assert.include(joined(parts, "short"), "in short: short")
    })))
})

describe("a hostile text", () => {
  // A walk that began anew at each place would not end in time. How the time grows is measured by bench/linear.ts.
  const repeating = "that repeats %j is redacted"
  const repeated = (shape: string) => assert.isAbove(redact(shape.repeat(Math.ceil(150_000 / shape.length))).length, 0)
  it.each(shapes.filter((_, i) => i % 8 === 0))(repeating, repeated)
  it.each(shapes.filter((_, i) => i % 8 !== 0))(repeating, { tags: "slow" }, repeated)

  // One repetition of a pattern over as many characters takes more stack than there is.
  const title = "that begins with %j and continues with %j is redacted"
  const isRedacted = (start: string, run: string) =>
    assert.isAbove(redact(start + run.repeat(Math.ceil(10_000_000 / run.length))).length, 0)
  it.each(endless.slice(0, 1))(title, isRedacted)
  it.each(endless.slice(1))(title, { tags: "slow" }, isRedacted)
})
