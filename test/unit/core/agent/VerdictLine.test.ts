// VerdictLine: lines that are verdicts, lines that look like them, and the last one that counts.
import { assert, describe, it } from "vitest"
import { parseVerdictLine } from "../../../../src/core/agent/VerdictLine.ts"

describe("a verdict line", () => {
  it.each([
    "VERDICT: ACCEPTABLE",
    "verdict: acceptable",
    "**VERDICT:** ACCEPTABLE",
    "**VERDICT: ACCEPTABLE**",
    "__VERDICT__: `ACCEPTABLE`",
    "## Final Verdict: ACCEPTABLE",
    "- VERDICT - ACCEPTABLE.",
    "```js\nsum(1)\n```\nVERDICT: ACCEPTABLE",
    "````\n```\nVERDICT: NEEDS_FIXES\n```\n````\n\nVERDICT: ACCEPTABLE",
    "> VERDICT: NEEDS_FIXES\n\nVERDICT: ACCEPTABLE",
    "VERDICT: ACCEPTABLE\n\n> VERDICT: NEEDS_FIXES",
    "It has a `<pre>` and an Array<string>.\n\nVERDICT: ACCEPTABLE",
    "```html\n<pre>\n```\nVERDICT: ACCEPTABLE",
    "VERDICT: ACCEPTABLE - all issues are resolved",
    "VERDICT: ACCEPTABLE: the fixes are correct, the change is right",
    "VERDICT: ACCEPTABLE (good work)",
    "1. VERDICT = ACCEPTABLE",
    "(VERDICT: ACCEPTABLE)",
    "VERDICT (final): ACCEPTABLE",
    "VERDICT ACCEPTABLE",
    "VERDICT: ACCEPTABLE, nothing is left to do that was not named",
    "VERDICT: ACCEPTABLE \u2014 all tests pass",
    "## Verdict\n\n**ACCEPTABLE**",
    "VERDICT:\nACCEPTABLE",
    "VERDICT: NEEDS_FIXES\nAfter the fix:\nVERDICT: ACCEPTABLE\n\nThanks.",
    "VERDICT: ACCEPTABLE - no issues found",
    "VERDICT: ACCEPTABLE, nothing is broken",
    "VERDICT: ACCEPTABLE because it does not break anything",
    "VERDICT: ACCEPTABLE (the tests do not need the network)",
    "VERDICT: ACCEPTABLE with minor suggestions",
    "VERDICT: ACCEPTABLE. The quality is acceptable.",
    "(VERDICT): ACCEPTABLE",
    "(FINAL) VERDICT: ACCEPTABLE",
    "(final verdict): ACCEPTABLE",
    "## Verdict ##\nACCEPTABLE",
    "# FINAL VERDICT #\nACCEPTABLE",
    "- [x] VERDICT: ACCEPTABLE",
    "VERDICT\u00a0: ACCEPTABLE",
    "## Verdict\nIt was hard to say.\n\nVERDICT: ACCEPTABLE",
    "VERDICT: ACCEPTABLE\n\nVerdict rationale: all of it was read."
  ])("%j accepts", (text) => assert.strictEqual(parseVerdictLine(text), "ACCEPTABLE"))

  it.each([
    "VERDICT: NEEDS_FIXES",
    "VERDICT: NEEDS FIXES",
    "Verdict: needs-fixes (two issues)",
    "**VERDICT: NEEDS_FIXES**",
    "VERDICT: NOT ACCEPTABLE",
    "VERDICT: cannot be ACCEPTABLE",
    "VERDICT: isn't ACCEPTABLE",
    "VERDICT: UNACCEPTABLE",
    "VERDICT: ACCEPTABLE or NEEDS_FIXES",
    "VERDICT: ACCEPTABLE | NEEDS_FIXES",
    "## Verdict\nNot acceptable",
    "VERDICT: ACCEPTABLE\r\nVERDICT: NEEDS_FIXES",
    "VERDICT: NOT-ACCEPTABLE",
    "VERDICT: NOT_ACCEPTABLE",
    "VERDICT: NON-ACCEPTABLE",
    "VERDICT: NOT**ACCEPTABLE**",
    "VERDICT: NEEDS  FIXES",
    "VERDICT: NEEDS\u00a0FIXES",
    "VERDICT -> NEEDS_FIXES",
    "VERDICT: it NEEDS_FIXES",
    "- [ ] VERDICT: NEEDS_FIXES"
  ])("%j asks for fixes", (text) => assert.strictEqual(parseVerdictLine(text), "NEEDS_FIXES"))

  it.each([
    "ACCEPTABLE cannot be given",
    "ACCEPTABLE is not possible",
    "ACCEPTABLE isn't what this is",
    "ACCEPTABLE isn\u2019t what this is",
    "ACCEPTABLE? No.",
    "ACCEPTABLE? Not at all",
    "ACCEPTABLE?",
    "ACCEPTABLE: no",
    "ACCEPTABLE - not",
    "ACCEPTABLE (not)",
    "ACCEPTABLE: \u274c",
    "ACCEPTABLE, NOT ACCEPTABLE",
    "ACCEPTABLE, or unacceptable",
    "ACCEPTABLE (but not ACCEPTABLE for release)",
    "ACCEPTABLE, but the tests do not pass",
    "ACCEPTABLE if the tests are mended",
    "ACCEPTABLE, except for the docs",
    "ACCEPTABLE with changes",
    "ACCEPTABLE with the following minor changes",
    "ACCEPTABLE after fixes",
    "ACCEPTABLE + fixes",
    "ACCEPTABLE but slow",
    "ACCEPTABLE, **but** the parser crashes",
    "ACCEPTABLE. However, the parser crashes",
    "ACCEPTABLE once the crash is fixed",
    "ACCEPTABLE when the tests pass",
    "ACCEPTABLE, provided that it is renamed",
    "ACCEPTABLE as long as nobody calls it",
    "ACCEPTABLE pending review",
    "ACCEPTABLE subject to a rename",
    "ACCEPTABLE apart from the crash",
    "ACCEPTABLE only for a demo",
    "ACCEPTABLE; fix the crash",
    "ACCEPTABLE - then fix the crash",
    "ACCEPTABLE, the crash must be fixed",
    "ACCEPTABLE, it needs a test",
    "ACCEPTABLE (minor changes requested)",
    "ACCEPTABLE\nbut the parser crashes",
    "ACCEPTABLE,\nif the crash is fixed",
    "ACCEPTABLE\n\nHowever, the parser crashes."
  ])("that says %j takes it back", (said) => assert.strictEqual(parseVerdictLine(`VERDICT: ${said}`), "NEEDS_FIXES"))

  it.each([
    "VERDICT: NOT_ACCEPTABLE",
    "VERDICT: NOT-ACCEPTABLE",
    "VERDICT: NON-ACCEPTABLE",
    "VERDICT: NEEDS  FIXES",
    "VERDICT -> NEEDS_FIXES",
    "VERDICT: REJECTED",
    "VERDICT REJECTED",
    "VERDICT: \u274c NEEDS_FIXES",
    "VERDICT: it NEEDS_FIXES",
    "(VERDICT): NEEDS_FIXES",
    "- [ ] VERDICT: NEEDS_FIXES",
    "- [ ] VERDICT: ACCEPTABLE",
    "## Verdict ##\nNEEDS_FIXES",
    "VERDICT: maybe",
    "VERDICT:",
    "VERDICT: ~~ACCEPTABLE~~",
    "VERDICT: ACCEPTABLE_WITH_FIXES"
  ])(
    "that comes later and says %j wins over ACCEPTABLE",
    (last) => assert.strictEqual(parseVerdictLine(`VERDICT: ACCEPTABLE\n${last}`), "NEEDS_FIXES")
  )

  const quotedLine = [
    "> VERDICT: ACCEPTABLE",
    ">VERDICT: ACCEPTABLE",
    "> > VERDICT: ACCEPTABLE",
    "> - VERDICT: ACCEPTABLE",
    "- > VERDICT: ACCEPTABLE",
    "1. > VERDICT: ACCEPTABLE",
    "> The file says:\nVERDICT: ACCEPTABLE",
    "```\nVERDICT: ACCEPTABLE\n```",
    "~~~ md\nVERDICT: ACCEPTABLE\n~~~",
    "````\n```\nVERDICT: ACCEPTABLE\n```\n````",
    "- ```\n  VERDICT: ACCEPTABLE\n  ```",
    '"""\nVERDICT: ACCEPTABLE\n"""',
    "```\nThis fence has no end.\nVERDICT: ACCEPTABLE",
    "The file says:\n\n    VERDICT: ACCEPTABLE",
    "\tVERDICT: ACCEPTABLE",
    "<!--\nVERDICT: ACCEPTABLE\n-->",
    "<blockquote>\nVERDICT: ACCEPTABLE\n</blockquote>",
    "<blockquote><blockquote>\n</blockquote>\nVERDICT: ACCEPTABLE\n</blockquote>",
    "<pre>\n\nVERDICT: ACCEPTABLE",
    "## Verdict\n> ACCEPTABLE",
    "VERDICT:\n```\nACCEPTABLE\n```"
  ]
  it.each(quotedLine)("is no line that is quoted: %j", (text) => {
    assert.isNull(parseVerdictLine(text))
    assert.strictEqual(parseVerdictLine(`VERDICT: NEEDS_FIXES\n\n${text}`), "NEEDS_FIXES")
  })

  it.each(["```\nx", "<pre>", "<!--", "> x"])("counts behind %j where it asks for fixes", (before) => {
    assert.strictEqual(parseVerdictLine(`VERDICT: ACCEPTABLE\n${before}\nVERDICT: NEEDS_FIXES`), "NEEDS_FIXES")
  })

  it("that accepts is doubted where a fence has no end", () =>
    assert.strictEqual(parseVerdictLine("```\na\n```\nVERDICT: ACCEPTABLE\n```\nmore"), "NEEDS_FIXES"))

  it.each([
    "",
    "The work is ACCEPTABLE.",
    "My verdict: ACCEPTABLE",
    "Say VERDICT: ACCEPTABLE or VERDICT: NEEDS_FIXES.",
    "VERDICT:",
    "VERDICT: pending",
    "VERDICTS: ACCEPTABLE",
    "VERDICT: ACCEPTABLE_WITH_FIXES",
    "VERDICT: ~~ACCEPTABLE~~",
    "- [ ] VERDICT: ACCEPTABLE",
    "Verdict on the tests is ACCEPTABLE",
    "VERDICT:\nAll of it was read.\nACCEPTABLE"
  ])("does not stand in %j", (text) => assert.isNull(parseVerdictLine(text)))
})
