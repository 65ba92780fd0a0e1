// FailureLines: lines that codex prints in place of a review, told apart from reviews that quote them.
import { assert, describe, it } from "vitest"
import { failureLine, fixedSentence } from "../../../../../src/core/verdict/prose/FailureLines.ts"

const interrupted = "Review was interrupted. Please re-run /review and wait for it to complete."

describe("a fixed sentence", () => {
  it.each([
    interrupted,
    "Reviewer failed to output a response.",
    '"reviewer failed to output a response"',
    "> **Reviewer failed  to output a response.**"
  ])(
    "is %s",
    (text) => assert.isTrue(fixedSentence(text))
  )
  it.each(["", "The loop retries when the reviewer failed to output a response.", `${interrupted} ${interrupted}`])(
    "is not %j",
    (text) => assert.isFalse(fixedSentence(text))
  )
})

describe("a failure line", () => {
  it.each([
    ["You've hit your usage limit. Try again at 9:36 AM.", "usage-limit"],
    ["error: Quota exceeded. Check your plan.", "usage-limit"],
    ["429 Too Many Requests", "usage-limit"],
    ["unexpected status 503 Service Unavailable", "service-error"],
    ["stream disconnected before completion", "service-error"],
    ["ERROR: something unheard of", "service-error"],
    ["Connection refused", "service-error"],
    [interrupted, "fixed-sentence"]
  ])("%j is %s", (text, kind) => assert.strictEqual(failureLine(text), kind))

  it("counts wherever it stands, on a line of its own", () => {
    assert.strictEqual(failureLine("No issues found.\n  Rate limit reached.\n"), "usage-limit")
    assert.isNull(failureLine('The client retries on "Rate limit reached" now.'))
    assert.isNull(failureLine("Returns 503 Service Unavailable while it drains."))
    assert.isNull(failureLine("error: the message is now logged"))
  })

  it("that is the most telling one counts", () => {
    assert.strictEqual(failureLine(`${interrupted}\nERROR: x\nYou've hit your usage limit.`), "usage-limit")
    assert.strictEqual(failureLine(`${interrupted}\nERROR: x`), "service-error")
  })
})
