// flagTable: a table of flags as effect/cli reads it, and the texts that were given.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { assert, it } from "vitest"
import { subcommand } from "../../../src/cli/command.ts"
import { exited } from "../../../src/cli/ending.ts"
import { exits } from "../../../src/platform/Failure.ts"
import { flagsOf, textsOf, type TableGiven } from "../../../src/cli/convergeOptions.ts"
import { grammar } from "./commands/grammar.ts"

const flags = flagsOf([
  { flag: "--on", metavar: null, kind: "switch", text: "Turn it on." },
  { flag: "--name", metavar: "NAME", kind: "line", text: "A name.", bare: "nobody" },
  { flag: "--each", metavar: "ONE", kind: "line", text: "One of many.", many: true }
])
const read = (given: TableGiven) => Result.succeed([...textsOf(given)])
const run = () => Effect.succeed(exited(exits.done))
const command = Command.make("doctor", flags).pipe(subcommand({ about: ["Reads."], examples: [], read, run }))
const { asked } = grammar({ command, read })

it("what is given is told, a switch that is turned off too", async () => {
  assert.deepStrictEqual(await asked(""), [])
  assert.deepStrictEqual(await asked("--each b --each a --on --name=x --trust-state-root"), [
    ["--name", ["x"]],
    ["--each", ["b", "a"]],
    ["--on", [""]],
    ["--trust-state-root", [""]]
  ])
  assert.deepStrictEqual(await asked("--on=false --name"), [["--name", [""]], ["--on", []]])
})
