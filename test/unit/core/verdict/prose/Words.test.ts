// Words: what negates, what says that there is none, and how far a look at the neighbours goes.
import { assert, describe, it } from "vitest"
import { any, has, isNone, isNot, within, words } from "../../../../../src/core/verdict/prose/Words.ts"

const said = (text: string) => text.split(" ")
const at = (text: string, test: (at: ReadonlyArray<string>, i: number) => boolean): ReadonlyArray<string> =>
  said(text).filter((_, i, all) => test(all, i))

describe("words", () => {
  it("splits at any white space and holds nothing empty", () =>
    assert.sameMembers([...words("\n  bug  bugs\tflaw\n")], ["bug", "bugs", "flaw"]))
})

describe("has", () => {
  it("holds no missing word, nor one of an object's own names", () => {
    assert.isTrue(has(words("bug"), "bug"))
    assert.isFalse(has(words("bug"), undefined))
    assert.isFalse(has(words("bug"), "constructor"))
  })
})

describe("within", () => {
  const bug = words("bug")

  it("looks from the first end up to, not including, the second", () => {
    assert.isTrue(within(said("a bug b"), 1, 2, bug))
    assert.isFalse(within(said("a bug b"), 0, 1, bug))
    assert.isFalse(within(said("a bug b"), 2, 3, bug))
  })

  it("takes ends outside the clause for the clause's own", () => {
    assert.isTrue(within(said("bug a"), -5, 1, bug))
    assert.isTrue(within(said("a bug"), 1, 50, bug))
    assert.isFalse(within(said("a bug"), 5, 9, bug))
  })

  it("looks at the whole clause where it is asked for any", () => {
    assert.isTrue(any(said("a b bug"), bug))
    assert.isFalse(any([], bug))
  })
})

describe("isNot", () => {
  it.each([
    ["it does not close", ["not"]],
    ["it never closes", ["never"]],
    ["it cannot close", ["cannot"]],
    ["we were unable to", ["unable"]],
    ["it doesn't and won't", ["doesn't", "won't"]],
    ["not only fast but safe", []],
    ["not without tests", []],
    ["never less than one", []],
    ["no longer not yet", ["not"]],
    ["nothing is noted", []]
  ])("%j: %j", (text, expected) => assert.deepStrictEqual(at(text, isNot), expected))
})

describe("isNone", () => {
  it.each([
    ["no issues", ["no"]],
    ["0 findings and zero bugs", ["0", "zero"]],
    ["without any regressions", ["without"]],
    ["free of defects", ["free"]],
    ["not free of defects", []],
    ["not a single bug", ["single"]],
    ["a single bug", []],
    ["not without flaws", []],
    ["no longer fails", []],
    ["no doubt it fails", []],
    ["no fewer than two bugs", []]
  ])("%j: %j", (text, expected) => assert.deepStrictEqual(at(text, isNone), expected))
})
