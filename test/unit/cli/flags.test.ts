// flags: each flag is found by its spellings, and none by anything else.
import { assert, describe, it } from "vitest"
import { findFlag, flags as table } from "../../../src/cli/flags.ts"

describe("a flag", () => {
  it("is found by its option and its alias alone", () => {
    for (const flag of table) {
      for (const spelling of [flag.flag, ...(flag.alias === undefined ? [] : [flag.alias])]) {
        assert.strictEqual(findFlag(spelling), flag)
      }
    }
    for (const spelling of ["", "-", "--", "-N", "--n", "uncommitted", "--uncommitted=", "__proto__", "--Base"]) {
      assert.isUndefined(findFlag(spelling), spelling)
    }
  })

  it("is spelt as no other is, with two dashes unless it has one letter", () => {
    const spellings = table.flatMap(({ alias, flag }) => alias === undefined ? [flag] : [flag, alias])
    assert.lengthOf(new Set(spellings), spellings.length)
    for (const spelling of spellings) assert.match(spelling, /^(-[a-z]|--[a-z]+(-[a-z]+)*)$/)
  })
})
