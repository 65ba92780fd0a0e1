// Denial: how far a sentence denies defects, and what is left of it without the denial.
import { assert, describe, it } from "vitest"
import { denialIn } from "../../../../../src/core/verdict/prose/Denial.ts"

const kind = (sentence: string) => denialIn(sentence).kind

describe("a full denial", () => {
  it.each([
    "i did not identify any discrete, introduced correctness, security, or maintainability issues in the diff",
    "no actionable regressions were found",
    "the changes pass locally without revealing any discrete correctness issue",
    "the guidance matches the parser's requirements and introduces no actionable defects",
    "i didn't find any issue that would block merging",
    "there are no findings in this review",
    "nothing actionable",
    "i found nothing that would break",
    "i was unable to identify any functional or security regressions",
    "no security or correctness issues were found"
  ])("%s", (sentence) => assert.strictEqual(kind(sentence), "full"))
})

describe("a denial that leaves something open", () => {
  it.each(["i found no other issues", "no further problems", "otherwise i found no issues", "no remaining defects"])(
    "residual: %s",
    (sentence) => assert.strictEqual(kind(sentence), "residual")
  )
  it.each(["no security issues were found", "i see no performance problems", "no p0 findings"])(
    "partial: %s",
    (sentence) => assert.strictEqual(kind(sentence), "partial")
  )
})

describe("a denial that is limited", () => {
  it.each([
    "no issues besides the leak",
    "besides the leak there are no findings",
    "i found no bugs, save for the race",
    "no issues in the first half",
    "there are no findings if the list is sorted",
    "are there no issues?"
  ])("is residual: %s", (sentence) => assert.strictEqual(kind(sentence), "residual"))
  it.each(["the author says there are no issues", "the base branch has no issues", "i have no issues with the naming"])(
    "tells of something else: %s",
    (sentence) => assert.strictEqual(kind(sentence), "partial")
  )
  it.each(["besides the rename nothing changed, and no issues were found", "no issues; it lies outside of the loop"])(
    "is none: %s",
    (sentence) => assert.strictEqual(kind(sentence), "full")
  )
})

describe("no denial", () => {
  it.each([
    "i did not find any place where the token is refreshed",
    "the loader does not report the row",
    "this is not without issues",
    "no error is raised when the archive is truncated",
    "no doubt there are issues",
    "the parser has a bug",
    ""
  ])("%s", (sentence) => assert.strictEqual(kind(sentence), "none"))
})

describe("what is left", () => {
  it("is what stands behind a mark, a contrast or a new subject", () => {
    assert.match(denialIn("i found no issues, but the lock stays").rest, /but the lock stays$/)
    assert.match(denialIn("no issues were found; the writer leaks").rest, /; the writer leaks$/)
    assert.match(denialIn("no bugs were found and the writer leaks").rest, /and the writer leaks$/)
    assert.match(denialIn("no bugs were found, the writer leaks").rest, /, the writer leaks$/)
  })

  it("is nothing of a list of denied defects", () =>
    assert.strictEqual(
      denialIn("no bugs, regressions, or breaking changes were identified in the changed code").rest.trim(),
      ""
    ))
})
