// RenderedFindings: rendered findings are read back unchanged, whatever text is around them.
// Findings are in the form a parser gives them: titles on one line, bodies without outer blanks.
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { parsePlace, priorityFrom, splitTag, type RawFinding } from "../src/review/findings/Finding.ts"
import { parseRendered, renderFindings } from "../src/review/verdict/ReviewBody.ts"

const title = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.constantFrom("A — B", "`x` -- y", "- z", "::error::")
)
  .map((text) => text.trim())
  .filter((text) => text !== "" && splitTag(text).priority === null)
const body = fc.array(
  fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom("- [P0] x — y.ts:1-1", "codex", "", "  in")),
  {
    maxLength: 5
  }
).map((lines) => lines.join("\n").replace(/^\n+/, "").trimEnd())
const path = fc.constantFrom("a.ts", "/r/src/a b.ts", "C:\\My Projects\\x.ts", "[id]/page.tsx", "é/日本.ts")
const place = fc.record({
  path,
  lines: fc.tuple(fc.integer({ min: 1, max: 10000 }), fc.nat(50)).map(([start, more]) => ({ start, end: start + more }))
})
const written: fc.Arbitrary<RawFinding> = fc.record({
  title,
  body,
  priority: fc.option(fc.nat(3)).map(priorityFrom),
  place
})
const prose = fc.string({ maxLength: 60 }).map((text) => text.trim()).filter((text) => !/[Cc]omments?:/.test(text))

describe("renderFindings", () => {
  it("is undone by parseRendered", () =>
    fc.assert(fc.property(fc.array(written, { minLength: 1, maxLength: 5 }), (findings) => {
      assert.deepStrictEqual(parseRendered(renderFindings(findings)), { prose: "", findings })
    })))

  it("leaves the explanation before it as it is", () =>
    fc.assert(fc.property(prose, fc.array(written, { minLength: 1, maxLength: 3 }), (text, findings) => {
      assert.deepStrictEqual(parseRendered(`${text}\n\n${renderFindings(findings)}`), { prose: text, findings })
    })))

  it("writes places that are read back", () =>
    fc.assert(fc.property(place, ({ lines, path }) => {
      assert.deepStrictEqual(parsePlace(`${path}:${lines.start}-${lines.end}`), { path, lines })
    })))
})
