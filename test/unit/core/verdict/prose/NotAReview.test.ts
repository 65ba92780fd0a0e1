// NotAReview: plans, refusals and questions back, told apart from short reviews.
import { assert, describe, it } from "vitest"
import { notAReview } from "../../../../../src/core/verdict/prose/NotAReview.ts"

describe("an answer that is no review", () => {
  it.each([
    "I'll look at the diff now.",
    "Sure! Let me inspect the changes.",
    "Okay.",
    "Hello! How can I help you?",
    "Shall I continue?",
    "I'm sorry, but I can't help with that.",
    "Unfortunately I was not able to do this. Try again.",
    "Please share the diff.",
    "Could you paste the patch?",
    "First, I need to read the code.\nThen, let me run the tests."
  ])("is %j", (text) => assert.isTrue(notAReview(text)))

  it.each([
    "No issues found.",
    "LGTM.",
    "I'll note that the parser crashes. It does so on empty input.",
    "Please rename the flag.",
    "Is the lock released?",
    "Let me explain: the handle leaks. It is opened twice. It is closed once. The rest is fine. No more.",
    "Done. The parser crashes."
  ])("is not %j", (text) => assert.isFalse(notAReview(text)))

  it("is short", () => assert.isFalse(notAReview("Let me look. ".repeat(5))))
})
