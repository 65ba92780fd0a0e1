// Prose: reviews without codex's structure, by the class they belong to.
// The one rule: no text here is a recording; each stands for a manner of saying, in several wordings.
import { assert, describe, it } from "vitest"
import { classifyProse } from "../../../../../src/core/verdict/prose/Prose.ts"
import { clean, doubtful, issues, noReview } from "../corpus/bodies.ts"

const classed = (text: string): string => {
  const { reason, verdict } = classifyProse(text)
  return `${verdict} ${reason}`
}

describe("classifyProse", () => {
  it.each(clean)("finds clean: %j", (text) => assert.strictEqual(classed(text), "Clean no-defect-stated"))
  it.each(issues)("finds issues: %j", (text) => assert.strictEqual(classifyProse(text).verdict, "HasIssues"))
  it.each(noReview)("finds no review: %j", (text) => assert.strictEqual(classifyProse(text).verdict, "NoReview"))
  it.each(doubtful)("is in doubt: %j", (text) => assert.strictEqual(classifyProse(text).verdict, "HasIssues"))
  it("is in doubt of prose that nobody can have meant to be read", () => {
    const body = `No issues found.\n${"Everything was checked and is correct.\n".repeat(8000)}`
    assert.deepStrictEqual(classifyProse(body), { verdict: "HasIssues", reason: "in-doubt", findings: [] })
    assert.strictEqual(classifyProse(body.slice(0, 4000)).verdict, "Clean")
  })
})

describe("reasons", () => {
  it.each([
    ["", "NoReview empty-body"],
    ["Reviewer failed to output a response.", "NoReview fixed-sentence"],
    ["You've hit your usage limit. Try again at 9:36 AM.", "NoReview usage-limit"],
    ["ERROR: something unheard of", "NoReview service-error"],
    ["I could not access the diff.", "NoReview diff-not-seen"],
    ["There is nothing to review.", "NoReview nothing-to-review"],
    ["Review aborted.", "NoReview review-not-finished"],
    ["All shell commands failed. No issues found.", "NoReview tools-failed"],
    ["I'll look at the diff now.", "NoReview not-a-review"],
    ["- [P1] Guard against null", "HasIssues listed-findings"],
    ["The patch is incorrect.", "HasIssues verdict-incorrect"],
    ["The loop crashes on empty input.", "HasIssues asserts-defect"],
    ["Das ist ein Fehler in der Schleife.", "HasIssues unread-language"],
    ["The default port is 8080.", "HasIssues in-doubt"],
    ["No issues found.", "Clean no-defect-stated"]
  ])("%j is %s", (text, expected) => assert.strictEqual(classed(text), expected))
})

describe("a denial", () => {
  const denial = "I did not find any actionable issues."

  it.each([
    "The parser crashes on empty input.",
    "However, the counter is never reset.",
    "The only thing missing is an await in `flush`.",
    "The fallback silently drops events.",
    "This introduces a regression in the importer.",
    "- [P2] Reset the counter"
  ])("does not outweigh %j", (assertion) => {
    assert.strictEqual(classifyProse(`${denial} ${assertion}`).verdict, "HasIssues")
    assert.strictEqual(classifyProse(`${denial}\n\n${assertion}`).verdict, "HasIssues")
  })

  it.each([
    "The crash on empty input is fixed.",
    "Apart from the version bump, the lockfile is unchanged.",
    "Stale entries are dropped on load.",
    "The build was skipped because the sandbox has no network.",
    "The failing snapshot test is unrelated to this change.",
    "A truncated archive yields a typed error rather than a panic."
  ])("stands beside %j", (description) =>
    assert.strictEqual(classed(`${description} ${denial}`), "Clean no-defect-stated"))

  it("of others admits some", () => assert.strictEqual(classifyProse("I found no other issues.").verdict, "HasIssues"))
  it("by a tool is not the reviewer's", () =>
    assert.strictEqual(classifyProse("The linter does not report issues in nested files.").verdict, "HasIssues"))
})

describe("what could not be done", () => {
  it.each([
    ["I could not run the tests, but the diff reads well and no issues were found.", "Clean"],
    ["The test suite could not be executed in this sandbox. No regressions were identified.", "Clean"],
    ["I could not run `git diff`, so I read the files directly using `cat` instead. No issues were found.", "Clean"],
    ["The CLI now reports an error when the diff could not be read. No issues found.", "Clean"],
    ["The new test covers the case where there is nothing to review. No issues found.", "Clean"],
    ["I could not read the patch, so I ran the tests; they pass and no issues were found.", "NoReview"],
    ["No issues found. Unfortunately I was never able to open the diff.", "NoReview"]
  ])("%j is %s", (text, verdict) => assert.strictEqual(classifyProse(text).verdict, verdict))
})

describe("lists of findings", () => {
  const findings = (text: string) => classifyProse(text).findings

  it("carry priorities, places and titles where the form gives them", () => {
    assert.deepStrictEqual(findings("1. **[P1]** Guard against null — src/a.ts:3-4\n2. [P2] Rename"), [
      {
        title: "Guard against null",
        body: "",
        priority: 1,
        place: { path: "src/a.ts", lines: { start: 3, end: 4 } }
      },
      { title: "Rename", body: "", priority: 2, place: null }
    ])
    assert.deepInclude(findings("src/a.ts:12: the handle is never closed")[0], {
      place: { path: "src/a.ts", lines: { start: 12, end: 12 } }
    })
    assert.deepInclude(findings("High: injection in search")[0], { priority: 1, title: "injection in search" })
    assert.deepInclude(findings("| Severity | Finding |\n|---|---|\n| critical | accepts unsigned tokens |")[0], {
      priority: 0
    })
  })

  it.each(["Findings: none", "## Findings\n\n- None", "P0: 0\nP1: none\nP2: none", "**Issues**\n\n- No blocking issues."])(
    "that say none hold none: %j",
    (text) => assert.lengthOf(findings(text), 0)
  )

  it("under a heading leave out what was found right", () =>
    assert.deepStrictEqual(findings("## Findings\n\n- The lock order is consistent.\n- `close` leaks the handle."), [
      { title: "`close` leaks the handle.", body: "", priority: null, place: null }
    ]))
})

describe("what stands deep in parentheses", () => {
  it("is read all the same", () =>
    assert.strictEqual(classed(`No issues found ${"(so ".repeat(9)}the parser crashes (often`), "HasIssues asserts-defect"))
})
