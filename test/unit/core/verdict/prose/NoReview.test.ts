// NoReview: what reviewers say that saw nothing, had nothing to see, or answered something else.
import { assert, describe, it } from "vitest"
import { noReviewIn } from "../../../../../src/core/verdict/prose/NoReview.ts"
import { sentences } from "../../../../../src/core/verdict/prose/Sentences.ts"

const read = (text: string) => noReviewIn(sentences(text))

describe("no review", () => {
  it.each([
    ["I could not access the diff.", "diff-not-seen"],
    ["I was unable to inspect the changes because the shell broke.", "diff-not-seen"],
    ["I'm unable to run git here, so nothing to report.", "diff-not-seen"],
    ["Sorry, the diff was too long to read. No issues.", "diff-not-seen"],
    ["`git diff main` returned no changes, so there is no patch to review.", "nothing-to-review"],
    ["The provided combined diff contains no code changes to review.", "nothing-to-review"],
    ["No issues found. `git diff main...HEAD` is empty.", "nothing-to-review"],
    ["HEAD equals `origin/main`; no defects to report.", "nothing-to-review"],
    ["Every shell command failed in the sandbox.", "tools-failed"],
    ["The review could not be completed.", "review-not-finished"],
    ["I'll start by looking at the diff.", "not-a-review"],
    ["Which branch should I compare against?", "not-a-review"],
    ["I'm sorry, but I can't help with that.", "not-a-review"],
    ["APPROVE", "not-a-review"]
  ])("%j is %s", (text, reason) => assert.strictEqual(read(text), reason))
})

describe("a review all the same", () => {
  it.each([
    "I could not run the tests, since the sandbox has no network. No issues found.",
    "I could not run `git diff`, so I read the files directly instead. No issues were found.",
    "The CLI now reports an error when the diff could not be read.",
    "The commit only edits the guide. There are no code changes.",
    "There are no functional changes in this commit.",
    "I'll note that the tests pass. I first read the scheduler. It holds the lock. It frees it. No issues."
  ])("%j", (text) => assert.isNull(read(text)))
})
