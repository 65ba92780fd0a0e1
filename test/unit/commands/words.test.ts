// How the arguments of a subcommand are read, and its help is written, from one table.
import { assert, describe, it } from "vitest"
import { type CommandSpec, jsonOption, readWords, rootOptions, usageOf } from "../../../src/commands/words.ts"

const spec: CommandSpec = {
  name: "look",
  about: ["Looks."],
  operand: "RUN",
  options: [{ option: "--all", metavar: null, text: "All." }, ...rootOptions, jsonOption]
}

const given = (...argv: ReadonlyArray<string>) => {
  const read = readWords(spec, argv)
  if (read._tag !== "Words") return assert.fail(JSON.stringify(read))
  const { words } = read
  return [words.given("--all"), words.given("--state-root"), words.given("--json"), words.operand]
}
const problem = (...argv: ReadonlyArray<string>) => {
  const read = readWords(spec, argv)
  return read._tag === "Problem" ? read.message : assert.fail(JSON.stringify(read))
}

describe("words", () => {
  it("are options and an operand, in any order", () => {
    assert.deepStrictEqual(given("--all", "run", "--state-root", "/s"), ["", "/s", null, "run"])
    assert.deepStrictEqual(given("run", "--state-root=/s"), [null, "/s", null, "run"])
  })

  it("behind an option with a value are its value, whatever they look like", () =>
    assert.deepStrictEqual(given("--state-root", "--help"), [null, "--help", null, null]))

  it("behind -- are operands, and so is a single dash", () => {
    assert.deepStrictEqual(given("--", "--all"), [null, null, null, "--all"])
    assert.deepStrictEqual(given("-"), [null, null, null, "-"])
  })

  it("that are wrong are told in one line of bounded length", () => {
    assert.strictEqual(problem("a", "x\ny"), 'unexpected argument "x\\ny"')
    assert.isBelow(problem(`--${"z".repeat(5000)}`).length, 200)
  })
})

describe("help", () => {
  it("wins over whatever else is wrong, unless it is a value", () => {
    assert.strictEqual(readWords(spec, ["--nonsense", "a", "b", "-h"])._tag, "Help")
    assert.strictEqual(readWords(spec, ["--state-root", "--help"])._tag, "Words")
  })

  it("is made from the table", () =>
    assert.strictEqual(
      usageOf(spec),
      [
        "Usage: ooda-codex-review look [RUN] [OPTION ...]",
        "",
        "Looks.",
        "",
        "  --all                   All.",
        "  --state-root PATH       Where runs are kept. Default: $OODA_STATE_ROOT, else as for a step.",
        "  --trust-state-root      Use it although others own or can write to it.",
        "  --json                  One JSON document instead of text.",
        "  --help                  Print this text and exit 0."
      ].join("\n")
    ))
})
