// Inability: no review took place, and why; told apart from checks that could not be run and from what was read after all.
import { assert, describe, it } from "vitest"
import { inability } from "../../../../../src/core/verdict/prose/Inability.ts"
import { sentencesOf } from "./clauses.ts"

const unable = (text: string) => inability(sentencesOf(text))

describe("no review", () => {
  it.each([
    ["I could not access the diff.", "diff-not-seen"],
    ["The diff is empty.", "nothing-to-review"],
    ["The branch is even with main.", "nothing-to-review"],
    ["There is nothing to review.", "nothing-to-review"],
    ["The commit contains no code changes.", "nothing-to-review"],
    ["Review aborted.", "review-not-finished"],
    ["I have not reviewed any code.", "review-not-finished"],
    ["No review was done.", "review-not-finished"],
    ["The reviewer did not return a response.", "review-not-finished"],
    ["No answer was received.", "review-not-finished"],
    ["Every shell command failed.", "tools-failed"],
    ["Command execution was blocked.", "tools-failed"],
    ["bubblewrap failed to start.", "tools-failed"],
    ["I wasn't able to run any commands.", "tools-failed"]
  ])("%s (%s)", (text, why) => assert.strictEqual(unable(text), why))

  it("is why it was said first", () =>
    assert.strictEqual(unable("Every shell command failed. I could not access the diff."), "tools-failed"))
})

describe("a review", () => {
  it.each([
    "I could not run the tests, but the diff reads well.",
    "Every test command failed.",
    "The service denies file access.",
    "When the review is aborted, the loop retries.",
    "The handler covers the case where every command failed.",
    "The parser never responded to the signal before this patch; now it does.",
    "No issues found."
  ])("took place: %s", (text) => assert.isNull(unable(text)))

  it("took place where the change was read by other means", () => {
    assert.isNull(unable("I could not run `git diff`, so I read the files directly using `cat` instead."))
    assert.strictEqual(unable("I could not run `git diff`, so I only read the tests."), "diff-not-seen")
  })

  it("of documents is none the worse for holding no code", () => {
    assert.isNull(unable("The commit contains no code changes. The README is accurate."))
    assert.strictEqual(unable("The commit contains no code changes. Nothing to add."), "nothing-to-review")
  })

  it("that tells of silence among other things took place", () =>
    assert.isNull(unable("I read the loop. The bot retries. The reviewer did not return a response.")))
})
