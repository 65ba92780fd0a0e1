// ReviewBody: the shape of what a reviewer ended with, told by structure alone.
import { assert, describe, it } from "vitest"
import { parseBody } from "../../../../src/review/verdict/ReviewBody.ts"

const rendered = "Review comment:\n\n- [P1] Guard — a.ts:1-1\n  May be null."
const json = JSON.stringify({ findings: [], overall_correctness: "patch is correct", overall_explanation: "Fine." })

describe("parseBody", () => {
  it.each([
    ["", "Empty"],
    [" \n", "Empty"],
    ["Reviewer failed to output a response.\n", "FixedSentence"],
    ["Review was interrupted. Please re-run /review and wait for it to complete.", "FixedSentence"],
    ["Reviewer failed to output a response.\nIt will be tried again.", "Prose"],
    [`x\n\n${rendered}`, "Rendered"],
    [json, "Json"],
    ['{"state": "ok"}', "Unknown"],
    ['```json\n{"cut": ', "Unknown"],
    ['[{"title": "a"}]', "Unknown"],
    ['{"findings": [{"title": "cut', "Broken"],
    ["No issues.", "Prose"]
  ])("%j is %s", (body, tag) => assert.strictEqual(parseBody(body)._tag, tag))

  it("believes codex's rendering before an object that stands beside it", () =>
    assert.strictEqual(parseBody(`${json}\n\n${rendered}`)._tag, "Rendered"))

  it("keeps the prose around an object, and all of a text that has no structure", () => {
    assert.deepInclude(parseBody(`Before.\n${json}\nAfter.`), { around: "Before.\n\n\nAfter." })
    assert.deepStrictEqual(parseBody(" No issues.\n"), { _tag: "Prose", text: " No issues.\n" })
  })

  it("tells a broken object with an empty list from one whose list cannot be read", () => {
    assert.deepInclude(parseBody('{"findings": [], "overall_corr'), { _tag: "Broken", listEmpty: true })
    assert.deepInclude(parseBody('{"findings": [{"body": "a "b" c"}]}'), { _tag: "Broken", listEmpty: false })
  })
})
