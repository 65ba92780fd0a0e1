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
    "> - VERDICT - ACCEPTABLE.",
    "1. VERDICT = ACCEPTABLE",
    "(VERDICT: ACCEPTABLE)",
    "VERDICT (final): ACCEPTABLE",
    "VERDICT ACCEPTABLE",
    "VERDICT: ACCEPTABLE, nothing is left to do that was not named",
    "VERDICT: ACCEPTABLE \u2014 all tests pass",
    "## Verdict\n\n**ACCEPTABLE**",
    "VERDICT:\nACCEPTABLE",
    "VERDICT: NEEDS_FIXES\nAfter the fix:\nVERDICT: ACCEPTABLE\n\nThanks."
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
    "VERDICT: ACCEPTABLE\r\nVERDICT: NEEDS_FIXES"
  ])("%j asks for fixes", (text) => assert.strictEqual(parseVerdictLine(text), "NEEDS_FIXES"))

  it.each([
    "",
    "The work is ACCEPTABLE.",
    "My verdict: ACCEPTABLE",
    "Say VERDICT: ACCEPTABLE or VERDICT: NEEDS_FIXES.",
    "VERDICT:",
    "VERDICT: pending",
    "VERDICTS: ACCEPTABLE",
    "VERDICT: ACCEPTABLE_WITH_FIXES",
    "VERDICT:\nAll of it was read.\nACCEPTABLE"
  ])("does not stand in %j", (text) => assert.isNull(parseVerdictLine(text)))
})
