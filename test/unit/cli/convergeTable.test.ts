// The settings of the commands that drive a run: no flag twice, each with a sentence, none that cannot converge.
import { assert, expect, it } from "vitest"
import { settingsFor } from "../../../src/cli/convergeOptions.ts"
import { helpText } from "../../../src/run/Setting.ts"

const flags = settingsFor("converge").map(({ flag }) => flag)

it("holds each flag once", () => assert.strictEqual(new Set(flags).size, flags.length))

it("explains each in sentences", () => {
  for (const setting of settingsFor("converge")) expect(helpText(setting)).toMatch(/^[^a-z].*\.$/)
})

it("leaves out what cannot converge or belongs to one step", () => {
  for (const flag of ["--commit", "--step-timeout", "--max-iter", "--strict", "--batch", "--expect-head"]) {
    expect(flags).not.toContain(flag)
  }
})

it("is shorter for a plan, which has its own mode, and for a workflow", () => {
  for (const flag of ["--uncommitted", "--base", "--pr", "--trust-from"]) {
    expect(settingsFor("implement").map((setting) => setting.flag)).not.toContain(flag)
  }
  for (const { commands = [], flag } of settingsFor("ci")) assert.include(commands, "ci", flag)
})
