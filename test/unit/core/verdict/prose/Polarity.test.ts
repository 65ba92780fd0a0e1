// Polarity: what one clause says about defects: denies them, asserts one, describes, recalls, exempts.
import { assert, describe, it } from "vitest"
import { readClause } from "../../../../../src/core/verdict/prose/Polarity.ts"
import { clauseOf } from "./clauses.ts"

const read = (text: string, carried = false, ofChecks = false) => readClause(clauseOf(text), carried, ofChecks)
const asserted = (text: string) => read(text).asserts

describe("a clause", () => {
  it.each([
    "The loop crashes on empty input",
    "This introduces a regression",
    "The fallback silently drops events",
    "The limit is wrong",
    "It returns the wrong code",
    "The bound is off by one",
    "It fails to close the handle",
    "One leak remains in the reader",
    "Guard against a null user",
    "You should add a lock",
    "The test asserts the wrong value",
    "It makes the limit unbounded",
    "The handle is not always released",
    "It can lead to a deadlock"
  ])("asserts a defect for certain: %s", (text) => assert.strictEqual(asserted(text), "strong"))

  it.each([
    "The row may be read twice",
    "It ignores the locale",
    "The row is not written",
    "This results in two reads",
    "The token is stale",
    "It is mostly correct",
    "while removing the permission check"
  ])("asserts one unless defects are denied: %s", (text) => assert.strictEqual(asserted(text), "weak"))

  it.each([
    "The crash on start is fixed",
    "The guard prevents the race",
    "The default port is 8080",
    "The stale rows are read again",
    "The regression test covers both",
    "I did not find any issues",
    "A panic is reported",
    "The previously reported leak is gone",
    "if the parser crashes",
    "Merge conflict handling is unchanged",
    "It fails closed",
    "It removes the redundant check",
    "Cache misses are counted"
  ])("asserts none: %s", (text) => assert.isNull(asserted(text)))

  it("assesses where it calls the change right or denies one kind of defect", () => {
    assert.isTrue(read("The order is preserved").assesses)
    assert.isTrue(read("I found no security issues").assesses)
    assert.isFalse(read("The default port is 8080").assesses)
  })

  it("recalls a defect that is mended or was there before", () => {
    assert.isTrue(read("This fixes the crash").recalls)
    assert.isTrue(read("The existing leak stays").recalls)
    assert.isFalse(read("I found no crash").recalls)
    assert.isFalse(read("The parser crashes").recalls)
  })

  it("is exempt where it speaks of what is not of this change, but not behind `except`", () => {
    assert.isTrue(read("The failure is pre-existing").exempt)
    assert.isFalse(read("except the failure that is pre-existing").exempt)
  })

  it("is idle where it speaks of checks that could not be run", () => {
    assert.deepInclude(read("I could not run the tests"), { idle: true, asserts: null })
    assert.deepInclude(read("they could not be executed", false, true), { idle: true, asserts: null })
    assert.deepInclude(read("they could not be executed"), { idle: false, asserts: "weak" })
  })

  it("that a denial or a remedy is carried into asserts nothing", () => {
    assert.strictEqual(read("where the parser crashes", true).asserts, null)
    assert.strictEqual(read("where the parser crashes").asserts, "strong")
  })

  it("governs what follows where a denial or a remedy holds at its end", () => {
    assert.isTrue(read("I see no case").governs)
    assert.isTrue(read("This fixes the case").governs)
    assert.isFalse(read("The parser reads the case").governs)
  })
})
