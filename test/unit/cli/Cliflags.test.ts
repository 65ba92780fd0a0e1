// The table of flags: each is found by its spellings, and none by anything else.
import { assert, describe, it } from "vitest"
import { findFlag, flags as table } from "../../../src/cli/flags.ts"
import { groups, helpText } from "../../../src/run/Setting.ts"

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

  it("stands under a heading, is told in one sentence or two, and names its value in capitals", () => {
    for (const setting of table) {
      const { group = "", metavar } = setting
      assert.include<string>(groups, group)
      assert.match(helpText(setting, "step"), /^[A-Z][^\n]+\.$|^[A-Z][^\n]+\)\.$/)
      assert.match(metavar ?? "N", /^[A-Z:]+$/)
    }
    for (const group of groups) assert.isTrue(table.some((flag) => flag.group === group), group)
  })
})
