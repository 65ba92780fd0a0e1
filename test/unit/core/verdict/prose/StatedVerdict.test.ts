// StatedVerdict: a verdict that a review states as such.
import { assert, describe, it } from "vitest"
import { statedVerdict } from "../../../../../src/core/verdict/prose/StatedVerdict.ts"

describe("a stated verdict", () => {
  it.each([
    "Verdict: pass",
    "**Final verdict:** approved",
    "overall_correctness: patch is correct",
    "Result = ok",
    "LGTM",
    "✅ Approved!",
    "Looks good to me.",
    "Status: 0 failed, clean"
  ])("is favourable: %j", (text) => assert.strictEqual(statedVerdict(text), "favourable"))

  it.each([
    "Verdict: needs work",
    "Overall assessment: not ready",
    "recommendation: request changes",
    "Verdict: ❌",
    "The patch is incorrect.",
    "I think this change is not correct.",
    "The diff is not safe to merge",
    "Verdict: correct, but changes requested",
    "Verdict: pass\nDecision: reject",
    "Verdict: rejected",
    "Verdict: pass. The patch is broken on Windows."
  ])("is unfavourable: %j", (text) => assert.strictEqual(statedVerdict(text), "unfavourable"))

  it.each([
    "",
    "No issues found.",
    "The verdict is stored in the log.",
    "LGTM, but see below.",
    "The result: rows are read once.",
    "Status: the worker starts"
  ])("is not in %j", (text) => assert.isNull(statedVerdict(text)))
})
