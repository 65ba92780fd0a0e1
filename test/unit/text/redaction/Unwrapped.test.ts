// Unwrapped: a text without escapes, entities, colours and marks of lines, and where its characters come from.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { withoutSpans } from "../../../../src/text/redaction/Patterns.ts"
import { redact } from "../../../../src/text/redaction/Redaction.ts"
import { unwrapped } from "../../../../src/text/redaction/Unwrapped.ts"

describe("a text", () => {
  it.each([
    ["\x1b[1mpass\x1b[0mword", "password"],
    ["pass\u200bword", "password"],
    ["a\\\nb", "ab"],
    ["%22a%3D&quot;b&#61;&#x3d;\\u003d", '"a="b==='],
    ['\\"a\\/b\\n', '"a/b\n'],
    ["+ a\n- b\n--c", "  a\n  b\n--c"],
    ["a.yml:12:  b: |\na.yml-13-    c", "   b: |\n     c"],
    ["2026-11-27T01:00:00.000Z a", "  a"],
    ["web_1  | a", "  a"]
  ])("%j is unwrapped to %j", (text, expected) => assert.strictEqual(unwrapped(text)[0]?.text, expected))

  it("is unwrapped once for each wrapping", () =>
    assert.deepStrictEqual(unwrapped("%2522").map(({ text }) => text), ["%22", '"']))

  it("is redacted where it is wrapped twice", () =>
    assert.strictEqual(redact('\\\\"token\\\\": \\\\"a\\\\"'), '\\\\"token\\\\": \\\\"[redacted]\\\\"'))

  it("that nothing wraps stays alone", () => assert.deepStrictEqual(unwrapped("a = b"), []))

  it("knows where each character was", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "%41", "\\n", "\x1b[1m", "&lt;", "\\\n", "\n+ ", "%2541")),
        (all) => {
          const text = all.join("")
          for (const { source, text: inner } of unwrapped(text)) {
            if (inner === "") continue
            // Each character alone, and all of them together, cover the same parts of the text, but for what was dropped.
            const spans = Array.from(inner, (_, at) => source({ from: at, to: at + 1 })).flat()
            for (const [i, { from, to }] of spans.entries()) assert.isTrue(from < to && from >= (spans[i - 1]?.to ?? 0))
            const rest = withoutSpans(text, spans).replaceAll("[redacted]", "")
            assert.strictEqual(
              withoutSpans(text, source({ from: 0, to: inner.length })).replaceAll("[redacted]", ""),
              rest
            )
            assert.notMatch(rest, /[abAB<]/)
          }
        }
      )
    ))
})
