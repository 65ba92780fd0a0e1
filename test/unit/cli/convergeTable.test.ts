// The table of the flags of `converge`: no spelling twice, the texts of a step, each with a sentence.
import { assert, expect, it } from "vitest"
import { findFlag } from "../../../src/cli/flags.ts"
import { type ConvergeOption, convergeTable } from "../../../src/cli/convergeOptions.ts"

const spellings = convergeTable.map(({ option }) => option)

it("holds each flag once", () => assert.strictEqual(new Set(spellings).size, spellings.length))

it("tells what each does in sentences", () => {
  for (const { text } of convergeTable) expect(text).toMatch(/^[^a-z].*\.$/)
})

it("repeats what a step says of a flag that it has too", () => {
  const same: ReadonlyArray<ConvergeOption> = ["--base", "-n", "--jobs", "--state-root"]
  for (const option of same) {
    const { metavar, text } = findFlag(option) ?? assert.fail(option)
    assert.deepStrictEqual(convergeTable.find((flag) => flag.option === option), { option, metavar, text })
  }
})

it("leaves out what cannot converge or belongs to one step", () => {
  for (const option of ["--commit", "--step-timeout", "--max-iter", "--strict", "--batch", "--expect-head"]) {
    expect(spellings).not.toContain(option)
  }
})
