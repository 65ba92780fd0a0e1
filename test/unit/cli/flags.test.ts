// flags: each flag is found by its spellings, and none by anything else.
import { assert, describe, it } from "vitest"
import { flags as table } from "../../../src/cli/flags.ts"

describe("a flag", () => {
  it("is spelt as no other is, with two dashes unless it has one letter", () => {
    const spellings = table.flatMap(({ alias, flag }) => alias === undefined ? [flag] : [flag, alias])
    assert.lengthOf(new Set(spellings), spellings.length)
    for (const spelling of spellings) assert.match(spelling, /^(-[a-z]|--[a-z]+(-[a-z]+)*)$/)
  })
})
