// help: how help and usage begin, that their examples are valid, and that they are true to the settings.
import { Context, Option } from "effect"
import { assert, describe, it } from "vitest"
import * as attest from "../../../src/cli/commands/attest.ts"
import * as audit from "../../../src/cli/commands/audit.ts"
import * as ci from "../../../src/cli/commands/ci.ts"
import * as config from "../../../src/cli/commands/config.ts"
import * as converge from "../../../src/cli/commands/converge.ts"
import * as dismiss from "../../../src/cli/commands/dismiss.ts"
import * as doctor from "../../../src/cli/commands/doctor.ts"
import * as init from "../../../src/cli/commands/init.ts"
import * as implement from "../../../src/cli/commands/implement.ts"
import * as findings from "../../../src/cli/commands/findings.ts"
import * as replay from "../../../src/cli/commands/replay.ts"
import * as report from "../../../src/cli/commands/report.ts"
import * as result from "../../../src/cli/commands/result.ts"
import * as runs from "../../../src/cli/commands/runs.ts"
import * as status from "../../../src/cli/commands/status.ts"
import * as stop from "../../../src/cli/commands/stop.ts"
import * as undo from "../../../src/cli/commands/undo.ts"
import * as watch from "../../../src/cli/commands/watch.ts"
import { commandHelp } from "../../../src/cli/help.ts"
import { usageOn } from "../../../src/cli/usage.ts"
import { subcommands } from "../../../src/cli/subcommands.ts"
import { findFlag } from "../../../src/cli/flags.ts"
import { defaultIterations, stepSettings } from "../../../src/run/StepSettings.ts"
import { defaultInterval } from "../../../src/review/Limits.ts"
import { defaultText, helpText, type Setting } from "../../../src/run/Setting.ts"
import { bounds } from "../../../src/run/Settings.ts"
import { grammar } from "../../support/commands.ts"

const usage = usageOn(null)

const all = [
  grammar(attest),
  grammar(audit),
  grammar(ci),
  grammar(config),
  grammar(converge),
  grammar(dismiss),
  grammar(doctor),
  grammar(findings),
  grammar(implement),
  grammar(init),
  grammar(replay),
  grammar(report),
  grammar(result),
  grammar(runs),
  grammar(status),
  grammar(stop),
  grammar(undo),
  grammar(watch)
]

/** The arguments of each example in a help text, up to a redirection. */
const examples = (help: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...help.slice(help.indexOf("\nEXAMPLES\n")).matchAll(/^ {2}ooda-codex-review \S+(.*)$/gm)].map(([, line = ""]) =>
    [...line.replace(/ [<>|] .*$/, "").matchAll(/"([^"]*)"|(\S+)/g)].map(([, text, word = ""]) => text ?? word)
  )

describe("the help of every subcommand", () => {
  it("is looked at", () =>
    assert.deepStrictEqual(
      all.map(({ name }) => name),
      [...subcommands.keys()].filter((name) => name !== "hook" && name !== "fleet").sort()
    ))

  it.each(all)("$name: begins with its name and one sentence that says what it is", async ({ help, name }) => {
    const [first = ""] = (await help()).split("\n\n")
    assert.match(first.replaceAll("\n", " "), new RegExp(`^ooda-codex-review ${name} [a-z].{20,90}\\.$`))
  })

  it.each(all)("$name: has examples that are valid", async ({ asked, help }) => {
    const given = examples(await help())
    assert.isNotEmpty(given)
    for (const argv of given) await asked(argv)
  })
})

describe("the help of a command that drives a run", () => {
  const docs = [grammar(converge), grammar(implement)]

  it.each(docs)("$name: has its flags under headings, the target first, none left over", async ({ help }) => {
    const text = await help()
    const titles = [...text.matchAll(/^([A-Z][A-Z ]+)$/gm)].map(([title]) => title)
    const grouped = ["TARGET", "TESTS", "LADDER AND COST", "AGENT", "SAFETY", "OUTPUT"]
    assert.deepStrictEqual(titles.filter((title) => title !== "ARGUMENTS"), [
      "USAGE",
      ...grouped,
      "GLOBAL FLAGS",
      "EXAMPLES"
    ])
  })
})

describe("help on a terminal", () => {
  const flag = { name: "some-flag", aliases: [], type: "VALUE", required: false }
  const doc = {
    description: "looks at what there is, and says of each what it is, in a sentence that is longer than a line.",
    usage: "program look [flags]",
    flags: [{ ...flag, description: Option.some("What it does, in words that take more than one line. ".repeat(3)) }],
    annotations: Context.empty(),
    commandPath: ["program", "look"]
  }

  it.each([50, 60, 80, 140])("of %d columns breaks no word and no line is wider", (columns) => {
    for (const text of [commandHelp(doc, columns), usageOn(columns)]) {
      const words = new Set(commandHelp(doc, 140).split(/\s+/).concat(usageOn(140).split(/\s+/)))
      for (const line of text.split("\n")) {
        if (!line.startsWith("  ooda-codex-review ")) assert.isAtMost(line.length, Math.min(100, columns), line)
        for (const word of line.trim().split(/\s+/)) assert.isTrue(words.has(word), word)
      }
    }
  })
})

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
