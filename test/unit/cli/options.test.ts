// options: the flags of subcommands: what is given, what is left out, and what is not taken.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { assert, describe, it } from "vitest"
import { count } from "../../../src/cli/values.ts"
import { subcommand } from "../../../src/cli/command.ts"
import { exited } from "../../../src/cli/ending.ts"
import { exits } from "../../../src/platform/Failure.ts"
import { flagAs, json, operand, optional, optionalOperand, rootFlags } from "../../../src/cli/options.ts"
import { grammar } from "../../support/commands.ts"

const number = count({ least: 1, most: 9 })
const flags = {
  one: optionalOperand(operand("ONE", number, "A number.")),
  many: optional(flagAs({ flag: "--many", metavar: "N", kind: "text", text: "Another." }, number)),
  few: optional(flagAs({ flag: "-n", metavar: "N", kind: "text", text: "A third." }, number)),
  json,
  ...rootFlags
}
const read = (given: Command.Command.Config.Infer<typeof flags>) => Result.succeed(given)
const run = () => Effect.succeed(exited(exits.done))
const command = Command.make("doctor", flags).pipe(subcommand({ about: ["Looks."], examples: [], read, run }))
const { asked, problem } = grammar({ command, read })
const none = { one: null, many: null, few: null, json: false, stateRoot: null, trustStateRoot: false }

describe("flags and arguments", () => {
  it("may be left out", async () => assert.deepEqual(await asked(""), none))

  it("are given in any order, with a space or an equals sign", async () => {
    const all = { one: 3, many: 4, few: 5, json: true, stateRoot: "-s", trustStateRoot: true }
    assert.deepEqual(await asked("3 --many 4 -n 5 --json --state-root=-s --trust-state-root"), all)
    assert.deepEqual(await asked("--trust-state-root --state-root=-s --many=4 -n5 --json -- 3"), all)
  })

  const problems: ReadonlyArray<readonly [string, string]> = [
    ["0", 'ONE "0": expected a whole number from 1 to 9'],
    ["--many x", '--many "x": expected a whole number from 1 to 9'],
    ["-n 0", '-n "0": expected a whole number from 1 to 9'],
    ["-n 1 -n 2", "-n is given more than once"],
    ["-n", "-n needs a value: -n N"],
    ["--no-json", "unknown flag --no-json"],
    ["--state-root=", '--state-root "": expected a path, not an empty text']
  ]
  it.each(problems)("%s is misuse", async (line, message) => assert.strictEqual(await problem(line), message))
})
