// Prose: reviews without codex's structure, by the class they belong to.
// The corpus is data: each body has the class that a careful person gives it, and where it comes from. `classed` stands
// where the rules answer otherwise.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { classifyBody } from "../../../../../src/core/verdict/Verdict.ts"
import { classifyProse } from "../../../../../src/core/verdict/prose/Prose.ts"
import { bodies } from "../corpus.ts"

const classed = (text: string): string => {
  const { reason, verdict } = classifyProse(text)
  return `${verdict} ${reason}`
}

describe("the corpus", () => {
  it.each(bodies.map(({ classed, label, text }) => [classed ?? label, text] as const))(
    "%s: %j",
    (expected, text) => assert.strictEqual(classifyBody(text)._tag, expected)
  )

  it("has no false clean but those that the decision record names", () => {
    const record = readFileSync(new URL("../../../../../docs/decisions/verdict-rule.md", import.meta.url), "utf8")
      .replace(/\s+/g, " ")
    const missed = bodies.filter(({ classed, label }) => classed === "Clean" && label !== "Clean")
    for (const { text } of missed) assert.include(record, text)
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
    ["Das ist ein Fehler in der Schleife.", "HasIssues in-doubt"],
    ["The default port is 8080.", "HasIssues in-doubt"],
    ["No issues found.", "Clean no-defect-stated"],
    ["The change adds the field consistently; the tests pass.", "Clean no-defect-stated"]
  ])("%j is %s", (text, expected) => assert.strictEqual(classed(text), expected))
})

describe("a denial", () => {
  const denial = "I did not find any actionable issues."

  it.each([
    "The parser crashes on empty input.",
    "However, the counter is never reset.",
    "The only thing missing is an await in `flush`, but it is rare.",
    "The fallback silently drops events.",
    "This introduces a regression in the importer.",
    "- [P2] Reset the counter",
    "- the counter is kept",
    "src/a.ts:10 returns before the lock is freed."
  ])("does not outweigh %j", (assertion) => {
    assert.strictEqual(classifyProse(`${denial} ${assertion}`).verdict, "HasIssues")
    assert.strictEqual(classifyProse(`${denial}\n\n${assertion}`).verdict, "HasIssues")
  })

  it.each([
    "The crash on empty input is fixed.",
    "The build was skipped because the sandbox has no network.",
    "The failing snapshot test is unrelated to this change.",
    "The guard prevents stale rows from rendering."
  ])(
    "stands beside %j",
    (description) => assert.strictEqual(classed(`${description} ${denial}`), "Clean no-defect-stated")
  )
})

describe("what nobody can have meant to be read", () => {
  it("is in doubt: a body without an end, a sentence without an end", () => {
    const body = `No issues found.\n${"Everything was checked and is correct.\n".repeat(8000)}`
    assert.deepStrictEqual(classifyProse(body), { verdict: "HasIssues", reason: "in-doubt", findings: [] })
    assert.strictEqual(classifyProse(body.slice(0, 17 + 39 * 98)).verdict, "Clean")
    assert.strictEqual(classed(`No issues found. The change is ${"very ".repeat(400)}correct.`), "HasIssues in-doubt")
  })
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
    assert.deepInclude(findings("High: injection in search")[0], { priority: 1, title: "injection in search" })
  })

  it.each([
    "Findings: none",
    "## Findings\n\n- None",
    "P0: 0\nP1: none\nP2: none",
    "**Issues**\n\n- No blocking issues."
  ])(
    "that say none hold none: %j",
    (text) => assert.lengthOf(findings(text), 0)
  )

  it("under a heading leave out what was found right", () =>
    assert.deepStrictEqual(findings("## Findings\n\n- The lock order is consistent.\n- `close` leaks the handle."), [
      { title: "`close` leaks the handle.", body: "", priority: null, place: null }
    ]))

  it("that hold the reviewer's own failure alone are no review", () =>
    assert.strictEqual(classed("## Issues\n\n- **BLOCKER:** I could not read the diff."), "NoReview diff-not-seen"))
})
