// The usage block: complete, readable, and true to what the parser does.
// Rule: numbers in prose are compared with the values they describe.
import { assert, describe, it } from "vitest"
import { flags, findFlag } from "../../../src/cli/flags.ts"
import { usage } from "../../../src/cli/usage.ts"
import { defaultIterations, stepSettings } from "../../../src/run/StepSettings.ts"
import { defaultInterval } from "../../../src/review/Limits.ts"
import { defaultText, helpText, type Setting } from "../../../src/run/Setting.ts"
import { bounds } from "../../../src/run/Settings.ts"

const textOf = (option: string) => {
  const setting = findFlag(option)
  return setting === undefined ? "" : helpText(setting, "step")
}

describe("the usage block", () => {
  it("fits on a terminal and is plain text", () => {
    for (const line of usage.split("\n")) {
      assert.isAtMost(line.length, 100, line)
      assert.match(line, /^[\x20-\x7e]*$/)
      assert.notMatch(line, / $/)
    }
  })

  it("begins with the program's name and a sentence of what it is, then says how it is called", () => {
    const [is = "", called = ""] = usage.split("\n\n")
    assert.match(is, /^ooda-codex-review drives `codex review` to a fixed point: [^.]+\.$/)
    assert.strictEqual(called, "Usage: ooda-codex-review COMMAND [FLAG ...]\n       ooda-codex-review MODE [FLAG ...]")
  })

  it("names every flag once, with its value", () => {
    for (const { alias, flag, metavar } of flags) {
      const head = `  ${alias === undefined ? "" : `${alias}, `}${flag}${metavar === null ? "" : ` ${metavar}`}`
      const lines = usage.split("\n").filter((line) => line === head || line.startsWith(`${head}  `))
      assert.lengthOf(lines, 1, head)
    }
  })

  it("names every exit code of the contract", () => {
    for (
      const line of [
        "0 DoneFixedPoint",
        "1 StuckRepeated",
        "2 StuckCapReached",
        "3 HandoffHuman",
        "4 WouldAdvance",
        "5 HandoffAgent",
        "6 BinaryError",
        "7 Idle",
        "8 DoneAborted",
        "64 UsageError"
      ]
    ) assert.include(usage, `\n  ${line} `)
  })

  it("names the environment and the recipe", () => {
    for (const word of ["OODA_STATE_ROOT", "OODA_AWAIT_SECS", "TMPDIR", "docs/by-hand.md"]) assert.include(usage, word)
  })

  it("states bounds and defaults as the settings define them", () => {
    for (const setting of Object.values<Setting>(stepSettings)) {
      const [text, fallback] = [textOf(setting.flag), defaultText(setting)]
      if (fallback !== null) assert.match(text, new RegExp(`[( ]default ${fallback}[,)]`), setting.flag)
      if (setting.kind === "count") assert.include(text, `(${setting.bounds?.least} to ${setting.bounds?.most}, `)
    }
    assert.include(textOf("--max-iter"), `default ${defaultIterations}, `)
  })

  it("states the longest duration", () => assert.include(usage, `at most ${bounds.duration.most / 3_600_000}h)`))

  it("states the poll interval", () => {
    assert.include(usage, `default ${defaultInterval / 1000}`)
  })
})
