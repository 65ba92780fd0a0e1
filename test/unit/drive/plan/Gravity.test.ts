// Gravity: what weighs on security or correctness is known in whatever words, and a missing feature does not weigh.
import { assert, describe, it } from "vitest"
import { isGrave, issueWeighs, weighs } from "../../../../src/drive/plan/Analysis.ts"
import { issue } from "./examples.ts"

describe("an issue weighs", () => {
  it.each([
    "A security problem.",
    "SQL injection in the query",
    "shell commands can be injected",
    "the sqlInjection test is missing",
    "a memoryLeak",
    "The API key is logged",
    "credentials stand in the log",
    "path traversal",
    "missing authorization",
    "The input is not\nescaped",
    "It can corrupt the file",
    "data loss",
    "data\n  loss",
    "edits of the user are lost when it ends",
    "Crashes for an empty file",
    "two writers race",
    "a race condition",
    "wrong result for 0",
    "an incorrect bound",
    "off-by-one",
    "off by one",
    "It throws for null",
    "the build is broken",
    "sec\u200burity",
    "Severity: critical"
  ])("in the words %j", (words) => assert.isTrue(weighs(words)))

  it.each([
    "",
    "The verdict is not parsed yet.",
    "There is no fix loop.",
    "The runner has no flag for the limit.",
    "The re-review is missing.",
    "A trace is not written.",
    "VERDICT: NEEDS_FIXES",
    "There is no debug output.",
    "No change of the embrace"
  ])("not in the words %j", (words) => assert.isFalse(weighs(words)))

  it("where it is critical, or what it says or suggests weighs", () => {
    assert.isFalse(issueWeighs(issue()))
    assert.isFalse(issueWeighs(issue({ severity: "major" })))
    assert.isTrue(issueWeighs(issue({ severity: "critical" })))
    assert.isTrue(issueWeighs(issue({ description: "It crashes." })))
    assert.isTrue(issueWeighs(issue({ suggestion: "Close the leak." })))
  })

  it("and is grave where it is critical or major", () => {
    const grave = (["critical", "major", "minor", "info"] as const).filter((severity) => isGrave({ severity }))
    assert.deepStrictEqual(grave, ["critical", "major"])
  })
})
