// Prose: reviews without codex's structure, by class.
// The corpus is data: each body has the class that a careful reader gives it. `classed` is the answer of the rules if
// that differs.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { classifyProse, fixedSentence } from "../../../../src/review/verdict/Prose.ts"
import { classifyBody } from "../../../../src/review/verdict/Verdict.ts"
import { bodies } from "../../../support/reviewBodies.ts"

const classed = (text: string): string => {
  const { reason, verdict } = classifyProse(text)
  return `${verdict} ${reason}`
}

describe("the corpus", () => {
  it.each(bodies.map(({ classed, label, text }) => [classed ?? label, text] as const))(
    "%s: %j",
    (expected, text) => assert.strictEqual(classifyBody(text)._tag, expected)
  )

  it("has no false clean except those that the essay names", () => {
    const record = readFileSync(new URL("../../../../src/review/verdict/Verdict.ts", import.meta.url), "utf8")
      .replace(/\s+/g, " ")
    const missed = bodies.filter(({ classed, label }) => classed === "Clean" && label !== "Clean")
    for (const { text } of missed) assert.include(record, text)
  })
})

describe("a list of defects", () => {
  const titles = (text: string) => {
    const { findings, reason } = classifyProse(text)
    assert.strictEqual(reason, "listed-findings")
    return findings.map((
      { place, priority, title }
    ) => [title, priority, place?.path ?? null, place?.lines?.start ?? null])
  }

  it("has issues by the tag of its entries, with any Markdown around it, even after a denial", () => {
    for (
      const entry of ["- [P1] Guard it", "P1: Guard it", "1. **P1** Guard it", "> (P1) Guard it", "* **[P1]** Guard it"]
    ) {
      assert.deepStrictEqual(titles(`No issues found.\n\n${entry}`), [["Guard it", 1, null, null]])
    }
    assert.deepStrictEqual(titles("No issues found. [P0] a.txt:1 divides by zero"), [[
      "a.txt:1 divides by zero",
      0,
      "a.txt",
      1
    ]])
  })

  it("has issues by its grades, in lines and in tables", () => {
    assert.deepStrictEqual(titles("**High**: the lock leaks\n- [minor] rename it"), [
      ["the lock leaks", 1, null, null],
      ["rename it", 3, null, null]
    ])
    assert.deepStrictEqual(titles("| Severity | Finding |\n|---|---|\n| Critical | Data loss |"), [[
      "Data loss",
      0,
      null,
      null
    ]])
    assert.deepStrictEqual(titles("Potential issue: `parseInt` without a radix."), [
      ["`parseInt` without a radix.", null, null, null]
    ])
  })

  it("has issues by the place at the start of an entry", () =>
    assert.deepStrictEqual(titles("- `src/a b.ts`\n- src/a.ts:10-12 returns before the lock is freed"), [
      ["src/a.ts:10-12 returns before the lock is freed", null, "src/a.ts", 10]
    ]))

  it.each(["P0/P1 issues: none", "Critical: 0", "High: no findings.", "[P1]: none"])(
    "but not %j",
    (line) => assert.strictEqual(classed(`The change is sound.\n${line}`), "Clean no-defect-stated")
  )

  it("is in doubt if no entry has such a mark", () =>
    assert.strictEqual(classed("No issues found.\n\n- The counter is never reset"), "HasIssues in-doubt"))
})

describe("no review took place", () => {
  it.each<readonly [string, string]>([
    ["", "empty-body"],
    ["LGTM!", "not-a-review"],
    ["I'll look at the diff now.", "diff-not-seen"],
    ["Which branch should I compare against?", "diff-not-seen"],
    ["Is the change correct?", "not-a-review"],
    ["Reviewer started: current changes", "not-a-review"],
    ["Thinking about the change.", "not-a-review"],
    ["Started reviewing the current changes.", "not-a-review"],
    ["Checking whether the patch is correct, and that it introduces no regressions.", "not-a-review"],
    ["The session was compacted. Continuing with the next step of the plan.", "not-a-review"],
    ["Reading src/a.txt and the tests around it now. All tests pass.", "not-a-review"],
    ["Step 2: verify that the logic is correct.", "not-a-review"],
    ["Review in progress, no problems so far.", "review-not-finished"],
    ["The review is complete.", "not-a-review"],
    ["Reviewer failed to output a response.", "fixed-sentence"],
    ["You've hit your usage limit. Try again at 9:36 AM.", "usage-limit"],
    ["You have reached your Codex usage limits for code reviews.", "usage-limit"],
    ["Codex Review: usage limit reached. Upgrade your plan or add credits to continue.", "usage-limit"],
    ["ERROR: something unheard of", "service-error"],
    ["To use Codex here, create a Codex account and connect to a repository.", "service-error"],
    ["Something went wrong. Try again later by commenting.", "service-error"],
    ["The service is at capacity right now, so this change was not reviewed.", "service-error"],
    ...[
      "Service temporarily unavailable.",
      "Request failed with status 503.",
      "The request could not be completed.",
      "The stream was interrupted.",
      "An error occurred.",
      "No healthy upstream.",
      "Maintenance in progress.",
      "The server is overloaded",
      "The model is overloaded.",
      "The request was aborted.",
      "Invalid API key.",
      "API error 500.",
      "Operation timed out.",
      "Sorry, something went wrong.",
      "The backend is unavailable right now.",
      "The response was cut off.",
      "Reviewing changes now.",
      "The loop crashes."
    ].map((text): readonly [string, string] => [text, "not-a-review"]),
    ["The code review could not be completed.", "review-not-finished"],
    ["All shell commands failed. No issues found.", "tools-failed"],
    ["The tool calls were cancelled by the user before I could read the patch. No findings.", "tools-failed"],
    ["My file reads were denied by the execution policy, so there is nothing to report.", "tools-failed"],
    ["I have no findings because the tools did not return any content.", "tools-failed"],
    ["I could not access the diff.", "diff-not-seen"],
    ["The patch could not be applied to the base checkout for inspection; no actionable findings.", "diff-not-seen"],
    [
      "The repository snapshot did not include the changed files. I found no problems in what was there.",
      "diff-not-seen"
    ],
    ["Based on the commit message alone, the change appears correct.", "diff-not-seen"],
    ["Judging from the branch name and the file names, the change is correct. No issues.", "diff-not-seen"],
    ["I assumed that the change matches its description. No bugs were identified.", "diff-not-seen"],
    ["I could only see the first hunk. It is correct. No findings.", "diff-not-seen"],
    ["No issues in the first half; I did not review the rest.", "diff-not-seen"],
    ["The working directory seems to be empty, so no issues were identified.", "nothing-to-review"],
    ["`git diff main` returned no changes, so there is no patch to review.", "nothing-to-review"]
  ])("%j: %s", (text, reason) => assert.strictEqual(classed(text), `NoReview ${reason}`))

  it.each([
    "I could not run the tests, since the sandbox has no network. No issues found.",
    "Dependencies are missing, so I could not run the suite; I read the whole change and found no issues.",
    "Tests were inspected but not run in the read-only environment. No actionable regressions were found.",
    "The CLI now says why a file was not accepted. I found no issues.",
    "There are no functional changes in this commit, and the rename is complete."
  ])("but one did: %j", (text) => assert.strictEqual(classed(text), "Clean no-defect-stated"))

  it("recognises codex's two sentences with any Markdown around them", () => {
    assert.isTrue(fixedSentence("`Reviewer failed to output a response.`"))
    assert.isFalse(fixedSentence("Reviewer failed to output a response. It will be tried again."))
  })
})

describe("a doubt has issues", () => {
  const denial = "I did not find any actionable issues."

  it.each([
    "However, the counter is never reset.",
    "The migration is fine, but `flush` runs twice.",
    "No problems besides the race in open.",
    "One remark: the file is read in two places.",
    "Reading the file twice races with the writer.",
    "Passing null crashes the server.",
    "A second caller may see the old value.",
    "Note that the cache keeps its entries after a logout.",
    "It would be better to rename the helper.",
    "Except for a lost error there are no issues.",
    "The lock must be released first.",
    "I found one problem with the importer.",
    "See src/a.ts:10 for the early return.",
    "`The migration deletes the users table on every start`",
    '"The migration deletes the users table on every start."',
    "“The migration deletes the users table on every start.”",
    "«The migration deletes the users table on every start.»",
    "> The migration deletes the users table on every start",
    "```\nThe migration deletes the users table on every start\n```",
    "La migración borra usuarios cada vez.",
    "移行処理は毎回ユーザーテーブルを削除します。"
  ])("%j, beside a denial", (sentence) => {
    assert.strictEqual(classed(`${denial}\n\n${sentence}`), "HasIssues in-doubt")
    assert.strictEqual(classifyProse(`${sentence}\n\n${denial}`).verdict, "HasIssues")
  })

  it.each(["The patch is incorrect.", "Verdict: FAIL", "Recommendation: request changes", "Changes requested."])(
    "%j",
    (sentence) => assert.strictEqual(classed(`${denial} ${sentence}`), "HasIssues verdict-incorrect")
  )

  it.each([
    "One test failed, but it is not related to this change.",
    "I did not find a bug that should block the patch.",
    "The suite passes, although the browser tests were not run.",
    "The moved operations preserve behavior aside from import rewiring.",
    "A regression test covers the reported issue, and `a quoted name` is kept."
  ])("but not %j", (sentence) => assert.strictEqual(classed(`${denial} ${sentence}`), "Clean no-defect-stated"))

  it.each([
    "Writers can race with each other no more, since the lock is taken first.",
    "The missing-key error is thrown once, as documented.",
    "The crash on empty input is fixed."
  ])(
    "but not what is prevented or intended: %j",
    (sentence) => assert.strictEqual(classed(`${denial} ${sentence}`), "Clean no-defect-stated")
  )

  it("reads what stands beside praise of the whole", () => {
    assert.strictEqual(classed("Looks good. The retry holds the lock."), "HasIssues in-doubt")
    assert.strictEqual(classed("The patch is correct. The key of the map is the name."), "HasIssues in-doubt")
    assert.strictEqual(classed("Looks good. The tests pass. The order is preserved."), "Clean no-defect-stated")
  })

  it("reads a quoted text as a whole", () => assert.strictEqual(classed(`"${denial}"`), "Clean no-defect-stated"))

  it("does not trust a text that is too long for a review", () =>
    assert.strictEqual(classed(`${denial}\n${"All of it was checked. ".repeat(900)}`), "HasIssues too-long"))
})
