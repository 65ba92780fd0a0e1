// Doubt: the words that take back a denial or praise, and those that only look like it.
import { assert, describe, it } from "vitest"
import { doubtIn, recallsMended, tellsOfChecks } from "../../../../../src/core/verdict/prose/Doubt.ts"

const doubt = (sentence: string, denied = true) => doubtIn(sentence, sentence, denied)

describe("a sentence that asserts a defect", () => {
  it.each([
    "the parser crashes on empty input",
    "the handle is never closed",
    "the guard should come first",
    "the change removes the permission check",
    "the p1 reported earlier is still there",
    "not all tests pass",
    "consider renaming it, it needs a better name"
  ])("%s", (sentence) => assert.strictEqual(doubt(sentence), "asserts-defect"))
})

describe("a sentence in doubt", () => {
  it.each([
    "it looks right, but the lock stays",
    "although the lock is released before the write",
    "fine apart from the inverted order",
    "i cannot tell whether it works",
    "i only reviewed half of the diff",
    "i skimmed the diff",
    "i did not read the rest",
    "the parts i read are correct",
    "i could not find the definition of it",
    "the patch is correct if the caller holds the lock"
  ])("%s", (sentence) => assert.isNotNull(doubt(sentence)))
})

describe("what code does about harm", () => {
  it.each([
    "the guard prevents stale rows from rendering",
    "it correctly handles loading and rendering failures",
    "the change does not affect runtime behavior",
    "error handling and failure accounting are covered",
    "the two bugs noted in the earlier round have been resolved",
    "nothing in this diff would break existing callers",
    "the module is unchanged apart from the import rewiring",
    "the deprecated alias still works"
  ])("is no harm: %s", (sentence) => assert.isNull(doubt(sentence)))
})

describe("checks", () => {
  it("that could not be run say nothing about the change", () => {
    assert.isNull(doubt("focused tests could not start because of sandbox permissions"))
    assert.isNull(doubt("one test fails in this environment, unrelated to the patch"))
    assert.isNull(doubt("a full run had one failure, but it does not appear tied to the diff"))
  })

  it("that fail without an excuse speak against it", () =>
    assert.strictEqual(doubt("the build fails after this change"), "asserts-defect"))

  it("are told by their words", () => {
    assert.isTrue(tellsOfChecks("typecheck and lint pass"))
    assert.isFalse(tellsOfChecks("the parser reads ahead"))
  })
})

describe("a suspicious word", () => {
  it("counts only where nothing is denied", () => {
    assert.strictEqual(doubt("stale rows might appear once", false), "in-doubt")
    assert.isNull(doubt("rows might appear once", true))
  })
})

describe("a defect of the past", () => {
  it("is recalled where all of it is mended", () => {
    assert.isTrue(recallsMended("the leak described in the ticket has been fixed"))
    assert.isFalse(recallsMended("the leak was only partially fixed"))
  })
})
