// Denial: how far "no …" goes: to all defects, to one kind of them, or to those not told of.
import { assert, describe, it } from "vitest"
import { kindOf } from "../../../../../src/core/verdict/prose/Denial.ts"
import { indexOf, wordsOf } from "./clauses.ts"

/** The reach of a denial whose defects are named by `defect`. */
const reach = (text: string, defect = "issues") => {
  const at = wordsOf(text)
  return kindOf(at, at.findIndex((word) => word === "no" || word === "not"), indexOf(at, defect))
}

describe("a denial", () => {
  it.each([
    "I found no issues",
    "I did not find any discrete, actionable issues",
    "no issues found in this diff",
    "no issues were found in the changed lines",
    "no correctness, security, or performance issues",
    "no accessibility or state-handling issues"
  ])("is of all: %s", (text) => assert.strictEqual(reach(text), "full"))

  it("is of all where codex's own words name what was changed", () => {
    assert.strictEqual(reach("no discrete issues in the storage layer"), "full")
    assert.strictEqual(reach("no issues in the storage layer"), "partial")
  })

  it.each([
    "no security issues",
    "no blocking issues",
    "no P0 or P1 issues".toLowerCase(),
    "otherwise I found no issues",
    "no further issues",
    "no issues found in the parser"
  ])("leaves others open: %s", (text) => assert.strictEqual(reach(text), "partial"))

  it("looks at the place only up to a comma", () =>
    assert.strictEqual(reach("no issues in the parser, which this diff rewrites".replace(", which", ", as")), "partial"))

  it.each(["I found no other issues", "not another issues"])("admits some: %s", (text) =>
    assert.strictEqual(reach(text), "others"))

  it("of others is of all where they stand at the end of a row", () =>
    assert.strictEqual(reach("no lost updates or other issues"), "full"))
})
