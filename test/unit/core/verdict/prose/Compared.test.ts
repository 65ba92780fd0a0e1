// Compared: the words for what a change is compared with, for where it lies, and for looking at it.
import { assert, describe, it } from "vitest"
import { bases, inspecting, ranges } from "../../../../../src/core/verdict/prose/Compared.ts"
import { has } from "../../../../../src/core/verdict/prose/Words.ts"
import { wordsOf } from "./clauses.ts"

const last = (text: string): string | undefined => wordsOf(text).at(-1)

describe("what a change is compared with", () => {
  it.each(["main", "the merge-base", "HEAD", "its parent", "`origin/main`", "the `v1.2.0`", "the \"release\"", "`git diff`"])(
    "may be %s", (text) => assert.isTrue(has(bases, last(text))))
  it.each(["the parser", "the old behavior", "before", "the spec"])("is not %s", (text) =>
    assert.isFalse(has(bases, last(text))))
})

describe("where all of a change lies", () => {
  it.each(["the range", "this branch", "the working tree", "the requested scope", "it"])("is %s", (text) =>
    assert.isTrue(has(ranges, last(text))))
  it.each(["the parser", "behavior", "the backend", "main"])("is not %s", (text) =>
    assert.isFalse(has(ranges, last(text))))
})

describe("looking at a change", () => {
  it.each(["review", "inspect", "compare"])("is to %s it", (text) => assert.isTrue(has(inspecting, text)))
  it.each(["fix", "change", "run"])("is not to %s it", (text) => assert.isFalse(has(inspecting, text)))
})
