// config: its arguments, and every key once, with its value and source. test/process/config.test.ts reads real files.
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import * as config from "../../../../src/cli/commands/config.ts"
import { configJson, configText } from "../../../../src/cli/commands/config.ts"
import { configurable } from "../../../../src/cli/configuration.ts"
import { defaultText } from "../../../../src/run/Setting.ts"
import { settingsOf } from "../../../../src/cli/convergeOptions.ts"
import { grammar } from "../../../support/commands.ts"

const { asked, problem } = grammar(config)

describe("the arguments of config", () => {
  it("need no mode and no tests", async () => {
    const { json, texts } = await asked("show")
    assert.deepStrictEqual([json, [...texts]], [false, [["--base", ["HEAD"]]]])
  })

  it("are the arguments of `converge`", async () => {
    const { json, texts } = await asked("show --uncommitted --jobs 2 --json")
    assert.isTrue(json)
    assert.deepStrictEqual([...texts.keys()].sort(), ["--jobs", "--json", "--uncommitted"])
  })

  it("leave to files what a flag needs of them, and may turn a switch off", async () => {
    const { json, texts } = await asked("show --link x --isolate=false --json=false --uncommitted=false")
    assert.isFalse(json)
    assert.deepStrictEqual([texts.get("--isolate"), texts.get("--base")], [[], ["HEAD"]])
  })

  it.each(
    [
      ["set", 'ACTION "set": expected show'],
      ["show --jobs 0", '--jobs "0": expected a whole number from 1 to 256'],
      ["show --base a --pr 1", "--base and --pr exclude each other"],
      ["show --json --events", "--json and --events exclude each other"],
      ["show --commit x", "unknown flag --commit"]
    ] as const
  )(
    "%s is refused",
    async (line, message) => assert.strictEqual((await problem(line)).replace(/ \(did you mean .*/, ""), message)
  )
})

describe("the settings", () => {
  const none = new Map()
  const line = (key: string, text: string): string => text.split("\n").find((one) => one.split(" ")[0] === key) ?? ""
  const columns = (key: string, sources: Parameters<typeof configText>[0]) =>
    line(key, configText(sources)).split(/ {2,}/)

  it("names every setting once, those without a value too", () => {
    const keys = configText(none).trimEnd().split("\n").map((one) => one.split(" ")[0])
    assert.lengthOf(keys, configurable.length)
    assert.deepStrictEqual(columns("max-time", none), ["max-time", "-", "default"])
    assert.deepStrictEqual(columns("max-rounds", none), ["max-rounds", '"20"', "default"])
  })

  it("says where a value is from", () => {
    const sources = new Map([
      ["--test", { texts: ["a", "b"], from: "f" }],
      ["--isolate", { texts: [""], from: "f" }],
      ["--undo-on-red", { texts: [], from: "g" }],
      ["--commit-fixes", { texts: [""], from: "g" }],
      ["--agent-cmd", { texts: ["x"], from: "a\nb" }]
    ])
    assert.deepStrictEqual(columns("test", sources), ["test", '["a","b"]', "f"])
    assert.deepStrictEqual(columns("isolate", sources), ["isolate", "true", "f"])
    assert.deepStrictEqual(columns("undo-on-red", sources), ["undo-on-red", "false", "g"])
    assert.deepStrictEqual(columns("commit-fixes", sources), ["commit-fixes", "true", "g"])
    assert.deepStrictEqual(columns("agent-cmd", sources), ["agent-cmd", '"x"', "a\\nb"])
    assert.deepStrictEqual(columns("agent", sources), ["agent", '"command"', "default"])
    const { settings } = JSON.parse(configJson(sources))
    assert.deepInclude(settings, { key: "test", value: ["a", "b"], from: "f" })
    assert.deepInclude(settings, { key: "protect", value: [], from: "default" })
  })

  it("has the defaults that the settings have", () => {
    const given = [["--base", ["main"]], ["--no-test", [""]]] as const
    const defaults = configurable.flatMap((setting) => {
      const text = defaultText(setting)
      return text === null || setting.flag === "--block" ? [] : [[setting.flag, [text]] as const]
    })
    assert.deepStrictEqual(
      Result.getOrThrow(settingsOf(new Map<string, ReadonlyArray<string>>([...given, ...defaults]))),
      Result.getOrThrow(settingsOf(new Map<string, ReadonlyArray<string>>(given)))
    )
  })
})
